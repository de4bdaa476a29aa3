#if canImport(Glibc)
  import Glibc
  import RawThreads

  /// What the other threads of the process are at.
  enum OtherThreads {
    /// Whether each of them sleeps until something happens.
    ///
    /// One that was seen asleep may have been woken, or begun, by one that was looked at after it: so none may have run
    /// between the first look and the last.
    static var allSleep: Bool {
      guard let mine = ownNumber else { return false }
      let before = turns(but: mine)
      return before.keys.allSatisfy { state(ofThread: $0) == UInt8(ascii: "S") } && turns(but: mine) == before
    }

    /// What the kernel has counted of each: how long it ran and waited, and how often it ran.
    private static func turns(but mine: Int32) -> [Int32: [UInt8]] {
      let others = ProcFolder.numbers(in: "/proc/self/task").filter { $0 != mine }
      return Dictionary(
        uniqueKeysWithValues: others.map { ($0, read("/proc/self/task/\($0)/schedstat") ?? []) })
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
      guard let stat = read("/proc/self/task/\(id)/stat") else { return UInt8(ascii: "S") }
      guard let end = stat.lastIndex(of: UInt8(ascii: ")")), end + 2 < stat.count else { return nil }
      return stat[end + 2]
    }

    /// The begin of a file; nil: the thread has ended.
    private static func read(_ path: String) -> [UInt8]? {
      let file = open(path, O_RDONLY)
      guard file >= 0 else { return nil }
      defer { close(file) }
      return [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
        count = max(0, Glibc.read(file, buffer.baseAddress, 256))
      }
    }
  }
#else
  /// What the other threads of the process are at: unknown here.
  enum OtherThreads {
    static var allSleep: Bool { false }
  }
#endif
