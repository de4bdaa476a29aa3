#if canImport(Glibc)
  import Glibc
  import RawThreads

  /// What the other threads of the process are at.
  enum OtherThreads {
    /// Whether each of them sleeps until something happens.
    static var allSleep: Bool {
      let (mine, threads) = (ownNumber, ProcFolder.numbers(in: "/proc/self/task"))
      return mine != nil
        && threads.allSatisfy { $0 == mine || state(ofThread: $0) == UInt8(ascii: "S") }
    }

    /// The calling thread's.
    private static var ownNumber: Int32? {
      var link = [CChar](repeating: 0, count: 64)
      let length = readlink("/proc/thread-self", &link, 64)
      guard length > 0 else { return nil }
      let target = String(decoding: link[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
      return target.split(separator: "/").last.flatMap { Int32($0) }
    }

    /// The letter behind the name in parentheses, which may itself have some.
    private static func state(ofThread id: Int32) -> UInt8? {
      let file = open("/proc/self/task/\(id)/stat", O_RDONLY)
      guard file >= 0 else { return UInt8(ascii: "S") }
      defer { close(file) }
      return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
        let count = Glibc.read(file, buffer.baseAddress, 256)
        guard count > 0, let end = buffer[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else {
          return nil
        }
        return buffer[end + 2]
      }
    }
  }
#else
  /// What the other threads of the process are at: unknown here.
  enum OtherThreads {
    static var allSleep: Bool { false }
  }
#endif
