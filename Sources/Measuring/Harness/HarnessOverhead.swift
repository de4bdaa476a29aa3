import RawThreads
import Results
import UploadScenario

package enum HarnessOverhead {
  /// The harness's own time in nanoseconds: the median for a post (a job of uploads) that only calls its completion.
  package static func nanoseconds(clock: HarnessClock = .monotonic, posts: Int = 1_001) -> Double {
    let ledger = Ledger(requestCount: 0, nanoseconds: clock.nanoseconds)
    let times = (0..<posts).map { _ in
      let run = PostInFlight(ledger: ledger, clock: clock, listener: Parker())
      let completion = run.open()
      let start = clock.nanoseconds()
      completion(.failure(CancellationError()))
      return (run.ending?.nanoseconds ?? start) - start
    }
    return Double(times.sorted()[posts / 2])
  }
}

package enum ClockProbe {
  /// Records how long a reading of the clock takes, and the clock's smallest step.
  package static func record(
    into record: inout MachineRecord, clock: HarnessClock = .monotonic, readings: Int = 20_000
  ) {
    record.clockReadingNanoseconds = readingNanoseconds(clock, readings)
    record.clockStepNanoseconds = stepNanoseconds(clock, readings).map { Double($0) }
  }

  /// The mean duration of consecutive readings, in the fastest of ten series, because disturbances only add time.
  private static func readingNanoseconds(_ clock: HarnessClock, _ readings: Int) -> Double? {
    let row = max(1, readings / 10)
    return (0..<10).map { _ in
      let start = clock.nanoseconds()
      for _ in 1..<row { _ = clock.nanoseconds() }
      return Double(clock.nanoseconds() - start) / Double(row)
    }.min()
  }

  private static func stepNanoseconds(_ clock: HarnessClock, _ readings: Int) -> UInt64? {
    var last = clock.nanoseconds()
    var smallest: UInt64?
    for _ in 0..<readings {
      let now = clock.nanoseconds()
      if now > last { smallest = min(smallest ?? .max, now - last) }
      last = now
    }
    return smallest
  }
}

/// The clock that all measurements use. Tests inject one that never waits.
package struct HarnessClock: Sendable {
  /// The nanoseconds since a fixed moment, which never decrease.
  package var nanoseconds: @Sendable () -> UInt64
  /// Sleeps until the parker wakes the thread or the moment is reached. Returns false if the moment was reached first.
  package var park: @Sendable (_ parker: Parker, _ untilNanoseconds: UInt64) -> Bool = {
    $0.park(untilNanoseconds: $1)
  }
  /// Sleeps until a moment, or returns immediately if it has passed. Spins for at most the last `spinNanoseconds`.
  package var sleep: @Sendable (_ untilNanoseconds: UInt64, _ spinNanoseconds: UInt64) -> Void = {
    PreciseSleep.sleep(untilNanoseconds: $0, spinNanoseconds: $1)
  }

  package static let monotonic = HarnessClock { MonotonicClock.nanoseconds() }
}
