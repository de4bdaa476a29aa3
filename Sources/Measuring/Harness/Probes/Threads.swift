import Foundation
import RawThreads
import Synchronization

/// Watches how many threads the process has, every 100 µs, from a thread
/// of its own that it does not count.
final class ThreadSampler: Sendable {
  private let isStopped = Atomic<Bool>(false)
  private let peak = Atomic<Int>(0)

  /// nil where the platform does not say.
  static func threadCount() -> Int? {
    ProcFile.read("/proc/self/status").flatMap { ProcFile.number("Threads:", in: $0) }
  }

  /// The most threads that were seen while `body` ran.
  static func peak<Value>(during body: () throws -> Value) rethrows -> (Value, Int?) {
    guard threadCount() != nil else { return (try body(), nil) }
    let sampler = ThreadSampler()
    let thread = RawThread(name: "thread sampler") { sampler.watch() }
    defer {
      sampler.isStopped.store(true, ordering: .relaxed)
      thread.join()
    }
    return (try body(), sampler.peak.load(ordering: .relaxed))
  }

  private func watch() {
    let pause = Parker()
    while !isStopped.load(ordering: .relaxed) {
      if let count = Self.threadCount() { peak.max(count - 1, ordering: .relaxed) }
      pause.park(untilNanoseconds: MonotonicClock.nanoseconds() + 100_000)
    }
  }
}

/// What the process's other threads are doing.
enum OtherThreads {
  /// Waits until they all sleep and nothing more is counted: whatever was under way is over. Gives up after a fifth of a
  /// second, or at once where the platform does not say what threads do.
  static func waitUntilTheySleep() {
    let deadline = MonotonicClock.nanoseconds() + 200_000_000
    let pause = Parker()
    var last: Counts?
    while let isAsleep = areAsleep(), MonotonicClock.nanoseconds() < deadline {
      let counts = Counters.counts
      // Twice in a row: one that was seen asleep may have been woken by one that was looked at after it.
      if isAsleep, counts == last { return }
      last = isAsleep ? counts : nil
      pause.park(untilNanoseconds: MonotonicClock.nanoseconds() + 50_000)
    }
  }

  /// nil where the platform does not say.
  static func areAsleep() -> Bool? {
    guard let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") else {
      return nil
    }
    let states = threads.compactMap { ProcFile.read("/proc/self/task/\($0)/stat").flatMap(state) }
    // The one that asks is running.
    return states.count { $0 != "S" } <= 1
  }

  /// The letter behind the name, which stands in parentheses and may hold some itself.
  static func state(inStat text: String) -> Character? {
    guard let end = text.lastIndex(of: ")") else { return nil }
    return text[text.index(after: end)...].first { $0 != " " }
  }
}
