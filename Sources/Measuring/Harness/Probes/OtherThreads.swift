import Foundation
import RawThreads

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
