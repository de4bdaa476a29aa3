import CLeftovers
import RawThreads

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
      bytes: leftover_bytes(), threads: ProcFolder.numbers(in: "/proc/self/task").count,
      files: ProcFolder.numbers(in: "/proc/self/fd").count)
  }
}
