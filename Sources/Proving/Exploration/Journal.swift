import CExploration
import Synchronization

/// The choices of the schedule that runs, on disk before what was chosen runs: in a small mapped file, which outlives the process.
///
/// It is the file of a schedule (`ScheduleFile`) at any time. When a signal ends the process, its path is said.
package final class Journal: @unchecked Sendable {
  // Invariant: `bytes` are mapped from init to deinit. The thread that explores alone writes them, and moves `start` and `end`;
  // others read what lies between `start` and `length`, and only as long as nothing moves (`Watchdog`).
  private let bytes: UnsafeMutablePointer<CChar>
  private let size: Int
  private let path: String?
  private let note: UnsafeMutablePointer<CChar>?
  private var start = 0
  private var end = 0
  private let length = Atomic(0)
  private let count = Atomic(0)
  private let begun = Atomic(0)
  private static let made = Atomic(0)

  /// A journal with room for the choices of so many steps; those that come after are not kept.
  ///
  /// - Parameter command: what replays its file, which comes after it.
  package init(place: String, steps: Int = 10_000, replayedBy command: String) {
    size = 8_192 + min(steps, 1 << 20) * 4
    if Self.made.load(ordering: .relaxed) == 0 { journal_sweep(ScheduleFile.folder) }
    let number = Self.made.add(1, ordering: .relaxed).newValue
    let path = "\(ScheduleFile.folder)/\(ScheduleFile.slug(place)).\(getpid()).\(number).running"
    var isFile = false
    guard let bytes = journal_map(path, size, &isFile) else { fatalError("no memory for a journal") }
    self.bytes = bytes
    self.path = isFile ? path : nil
    let what = place.isEmpty ? "a schedule" : "a schedule of \(place)"
    note =
      isFile ? strdup("\nThis ended in the middle of \(what). Replay it with \(command)\(path)\n") : nil
    begin(place: place)
  }

  deinit {
    journal_unmap(bytes, size)
    discard()
    free(note)
  }

  private func discard() { if let path { unlink(path) } }

  /// Schedules of this come next.
  package func begin(place: String) {
    end = 0
    for byte in ScheduleFile.head(place).utf8.prefix(4_096) { put(CChar(bitPattern: byte)) }
    start = end
    rewind()
  }

  /// Runs what chooses and ticks, after which the file is gone: where it is, is said if the process ends within.
  ///
  /// - Parameters:
  ///   - stepTime: how long a step may take.
  ///   - giveUp: told on another thread what is wrong with one that does not come back, and is left behind.
  package func watched<Result>(
    stepTime: Duration, giveUp: @escaping @Sendable (String) -> Void, during body: (Watchdog) throws -> Result
  ) rethrows -> Result {
    let watchdog = Watchdog(self, stepTime: stepTime, giveUp)
    crash_note(note, bytes + size - 1)
    defer {
      crash_note(nil, nil)
      watchdog.stop()
      discard()
    }
    return try body(watchdog)
  }

  /// The next schedule begins.
  func rewind() {
    end = start
    put(10)
    publish()
    begun.store(begun.load(ordering: .relaxed) + 1, ordering: .relaxed)
  }

  /// This was chosen, and runs next.
  @inline(__always)
  func append(_ choice: Int) {
    guard end + 25 < size else { return }
    end -= 1
    put(32)
    if choice < 10 { put(CChar(48 + choice)) } else { for byte in "\(choice)".utf8 { put(CChar(byte)) } }
    put(10)
    publish()
  }

  /// Something has come to its end, so that nobody thinks it hangs.
  @inline(__always)
  package func tick() {
    count.store(count.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// What `tick` has counted.
  var progress: Int { count.load(ordering: .acquiring) }

  /// How many schedules have begun.
  var schedules: Int { begun.load(ordering: .relaxed) - 1 }

  /// What was chosen, while nothing runs but the last of it.
  package var choices: [Int] {
    let bytes = UnsafeBufferPointer(start: bytes, count: length.load(ordering: .acquiring))
    let text = String(decoding: bytes.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return ScheduleFile.choices(text.split(separator: "\n").last ?? "")
  }

  @inline(__always)
  private func put(_ byte: CChar) {
    bytes[end] = byte
    end += 1
  }

  private func publish() { length.store(end, ordering: .releasing) }
}
