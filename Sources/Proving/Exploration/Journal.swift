import CExploration
import Synchronization

/// Writes each choice among ready steps to a memory-mapped file (`ScheduleFile`) before the step runs. The file outlives a
/// crash of the process, and a message on stderr then names it.
package final class Journal: @unchecked Sendable {
  // Invariant: `bytes` are mapped from init to deinit. Only the thread that runs the steps writes them and moves `start` and
  // `end`. Another thread (`Watchdog`) reads the bytes before `length`, and only once a step hangs.
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

  /// Creates a journal for at most `steps` steps. The message after a crash ends in `command` and the file's path.
  package init(place: String, steps: Int = 10_000, replayedBy command: String) {
    size = 8_192 + min(steps, 1 << 20) * 4
    if Self.made.load(ordering: .relaxed) == 0 { journal_sweep(ScheduleFile.folder) }
    let number = Self.made.add(1, ordering: .relaxed).newValue
    let path = "\(ScheduleFile.folder)/\(ScheduleFile.slug(place)).\(getpid()).\(number).running"
    var isFile = false
    guard let bytes = journal_map(path, size, &isFile) else {
      fatalError("cannot map \(size) bytes of memory to record a schedule: free memory, or allow fewer steps")
    }
    self.bytes = bytes
    self.path = isFile ? path : nil
    let what = place.isEmpty ? "a schedule" : "a schedule of \(place)"
    note =
      isFile ? strdup("\nThe process ended in the middle of \(what). Replay: \(command)\(path)\n") : nil
    begin(place: place)
  }

  deinit {
    journal_unmap(bytes, size)
    discard()
    free(note)
  }

  private func discard() { if let path { unlink(path) } }

  package func begin(place: String) {
    end = 0
    for byte in ScheduleFile.head(place).utf8.prefix(4_096) { put(CChar(bitPattern: byte)) }
    start = end
    rewind()
  }

  /// Runs `body` and then removes the file. If a step takes longer than `stepTime`, another thread calls `giveUp`. If the
  /// process crashes, a message on stderr names the file.
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

  func rewind() {
    end = start
    put(10)
    publish()
    begun.store(begun.load(ordering: .relaxed) + 1, ordering: .relaxed)
  }

  @inline(__always)
  func append(_ choice: Int) {
    guard end + 25 < size else { return }
    end -= 1
    put(32)
    if choice < 10 { put(CChar(48 + choice)) } else { for byte in "\(choice)".utf8 { put(CChar(byte)) } }
    put(10)
    publish()
  }

  /// Counts a step, so that the watchdog sees that the run makes progress.
  @inline(__always)
  package func tick() {
    count.store(count.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  var progress: Int { count.load(ordering: .acquiring) }

  var schedules: Int { begun.load(ordering: .relaxed) - 1 }

  /// The choices so far. Another thread may read them only while a step hangs.
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
