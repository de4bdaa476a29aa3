#if canImport(Glibc)
  import Glibc

  /// What the other threads of the process are at.
  package enum OtherThreads {
    /// Whether each of them sleeps until something happens; nil where the kernel does not say.
    ///
    /// One that was seen asleep may have been woken since: so none may have run between the first look and the last.
    package static var allSleep: Bool? {
      guard let mine = ownNumber else { return nil }
      var before: [Int32: [UInt8]] = [:]
      for thread in others(than: mine) {
        before[thread] = turns(ofThread: thread)
        // Mostly one is awake, and no other need be looked at.
        if state(ofThread: thread) != UInt8(ascii: "S") { return false }
      }
      return before == Dictionary(uniqueKeysWithValues: others(than: mine).map { ($0, turns(ofThread: $0)) })
    }

    private static func others(than mine: Int32) -> [Int32] {
      ProcFolder.numbers(in: "/proc/self/task").filter { $0 != mine }
    }

    /// What the kernel has counted: how long it ran and waited, and how often it ran.
    private static func turns(ofThread id: Int32) -> [UInt8] { read("/proc/self/task/\(id)/schedstat") ?? [] }

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
  package enum OtherThreads {
    package static var allSleep: Bool? { nil }
  }
#endif
