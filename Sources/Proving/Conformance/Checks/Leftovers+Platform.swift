import CLeftovers
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the process holds.
enum Leftovers {
  struct Amount {
    var (bytes, threads, files): (Int, Int, Int)

    init(bytes: Int, threads: Int, files: Int) {
      (self.bytes, self.threads, self.files) = (bytes, threads, files)
    }

    static func - (left: Amount, right: Amount) -> Amount {
      Amount(
        bytes: left.bytes - right.bytes, threads: left.threads - right.threads,
        files: left.files - right.files)
    }

    func least(_ other: Amount) -> Amount {
      Amount(
        bytes: min(bytes, other.bytes), threads: min(threads, other.threads), files: min(files, other.files))
    }
  }

  static var current: Amount {
    Amount(
      bytes: leftover_bytes(), threads: entries(of: "/proc/self/task"), files: entries(of: "/proc/self/fd"))
  }

  /// How many entries a folder has; 0 where there is no such folder.
  private static func entries(of path: String) -> Int {
    guard let folder = opendir(path) else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }
}
