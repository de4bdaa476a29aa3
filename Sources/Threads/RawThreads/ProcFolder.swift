#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the kernel lists by number in a folder of `/proc`: processes, threads, open files.
package enum ProcFolder {
  /// The numbers in it, in no order; none where there is no such folder.
  package static func numbers(in path: String) -> [Int32] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var numbers: [Int32] = []
    while let entry = readdir(folder) {
      let number = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { isdigit(Int32($0[0])) != 0 ? atoi($0) : nil }
      }
      if let number { numbers.append(number) }
    }
    return numbers
  }
}
