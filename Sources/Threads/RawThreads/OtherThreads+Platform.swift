#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

#if canImport(Glibc)
  package enum OtherThreads {
    /// Whether all other threads of this process sleep, and none ran during the check. `nil` if the kernel does not report it.
    package static var allSleep: Bool? {
      guard let mine = ownNumber else { return nil }
      let threads = others(than: mine)
      // New threads are checked first, since they are the likeliest to be awake.
      guard threads.reversed().allSatisfy(sleeps) else { return false }
      var before: [Int32: [UInt8]] = [:]
      for thread in threads {
        before[thread] = turns(ofThread: thread)
        if !sleeps(thread) { return false }
      }
      return before == Dictionary(uniqueKeysWithValues: others(than: mine).map { ($0, turns(ofThread: $0)) })
    }

    private static func others(than mine: Int32) -> [Int32] {
      ProcFolder.numbers(in: "/proc/self/task").filter { $0 != mine }
    }

    /// How long a thread ran, how long it was ready without a processor, and how often it ran, as the kernel prints it.
    static func turns(ofThread id: Int32, inProcess process: String = "self") -> [UInt8] {
      read("/proc/\(process)/task/\(id)/schedstat") ?? []
    }

    static var ownNumber: Int32? {
      var link = [CChar](repeating: 0, count: 64)
      let length = readlink("/proc/thread-self", &link, 64)
      guard length > 0 else { return nil }
      let target = String(decoding: link[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
      return target.split(separator: "/").last.flatMap { Int32($0) }
    }

    /// Whether a thread sleeps or has ended. The state is the letter after the last parenthesis, which ends the name.
    private static func sleeps(_ id: Int32) -> Bool {
      guard let stat = read("/proc/self/task/\(id)/stat") else { return true }
      guard let end = stat.lastIndex(of: UInt8(ascii: ")")), end + 2 < stat.count else { return false }
      return stat[end + 2] == UInt8(ascii: "S")
    }

    /// The first 256 bytes of a file. `nil` means that the thread has ended.
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
  /// This system does not list the threads of a process.
  package enum OtherThreads {
    package static var allSleep: Bool? { nil }
    static func turns(ofThread _: Int32, inProcess _: String = "self") -> [UInt8] { [] }
  }
#endif

/// Waits for a moment at which all other threads of this process sleep: look every few milliseconds.
package struct Stillness: Sendable {
  private var ranNanoseconds = Self.ran()

  package init() {}

  /// Whether all other threads sleep. If the process has run for a millisecond since the last look, some thread is taken to be awake: to
  /// look at a hundred takes as long.
  package mutating func isThere() -> Bool {
    defer { ranNanoseconds = Self.ran() }
    return Self.ran() < ranNanoseconds + 1_000_000 && OtherThreads.allSleep == true
  }

  private static func ran() -> UInt64 { MonotonicClock.nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) }
}

/// How long the threads of a process have run, and how long they have been ready without a processor.
package struct ReadyTime: Sendable {
  private let process: String
  private let moment = MonotonicClock.nanoseconds()
  private let ranNanoseconds: UInt64
  private let waitedNanoseconds: UInt64

  /// Reads the times so far; `nil` if the kernel does not report them. `self` means the calling process.
  package init?(ofProcess process: String = "self") {
    var (ran, waited): (UInt64, UInt64) = (0, 0)
    var isSaid = false
    for thread in ProcFolder.numbers(in: "/proc/\(process)/task") {
      let fields = OtherThreads.turns(ofThread: thread, inProcess: process)
        .split(separator: UInt8(ascii: " ")).prefix(2).compactMap {
          UInt64(String(decoding: $0, as: UTF8.self))
        }
      // A thread that has just ended has no counters.
      guard fields.count == 2 else { continue }
      (ran, waited, isSaid) = (ran + fields[0], waited + fields[1], true)
    }
    if !isSaid { return nil }
    (self.process, ranNanoseconds, waitedNanoseconds) = (process, ran, waited)
  }

  /// Whether the threads were often ready since this reading, but mostly had no processor: they are not to blame for delays.
  package var isStarvedSince: Bool {
    guard let now = ReadyTime(ofProcess: process) else { return false }
    // The counters of ended threads are gone, so a sum may have fallen. Then the difference is 0.
    return Self.isStarved(
      ran: now.ranNanoseconds - min(now.ranNanoseconds, ranNanoseconds),
      waited: now.waitedNanoseconds - min(now.waitedNanoseconds, waitedNanoseconds),
      ofNanoseconds: now.moment - moment)
  }

  static func isStarved(ran: UInt64, waited: UInt64, ofNanoseconds time: UInt64) -> Bool {
    let (ready, waited) = (Double(ran + waited), Double(waited))
    return waited > 0.7 * ready && ready > 0.3 * Double(time)
  }
}

package enum ProcFolder {
  /// The entries of a folder in `/proc` whose names are numbers, such as processes or threads; empty if it does not exist.
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
