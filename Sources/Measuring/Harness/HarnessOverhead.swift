import RawThreads
import Results
import UploadScenario

package enum HarnessOverhead {
  /// The median of empty posts, in nanoseconds: two clock readings, and the call of the completion between them.
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
  /// Records the time of a reading, and the clock's smallest step.
  package static func record(
    into record: inout MachineRecord, clock: HarnessClock = .monotonic, readings: Int = 20_000
  ) {
    record.clockReadingNanoseconds = readingNanoseconds(clock, readings)
    record.clockStepNanoseconds = stepNanoseconds(clock, readings).map { Double($0) }
  }

  /// The mean of many readings in a row; the fastest of ten rows, because disturbance only adds time.
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

/// The harness's clock; tests inject functions that never wait.
package struct HarnessClock: Sendable {
  /// Nanoseconds since a fixed moment; never goes back.
  package var nanoseconds: @Sendable () -> UInt64
  /// Sleeps until the parker wakes it or the moment has come; false if the moment came first.
  package var park: @Sendable (_ parker: Parker, _ untilNanoseconds: UInt64) -> Bool = {
    $0.park(untilNanoseconds: $1)
  }
  /// Returns at a moment or a little later, at once if it has passed; spins for the last `spinNanoseconds` at most.
  package var sleep: @Sendable (_ untilNanoseconds: UInt64, _ spinNanoseconds: UInt64) -> Void = {
    PreciseSleep.sleep(untilNanoseconds: $0, spinNanoseconds: $1)
  }

  package static let monotonic = HarnessClock { MonotonicClock.nanoseconds() }
}
