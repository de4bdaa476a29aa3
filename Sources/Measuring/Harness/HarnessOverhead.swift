import RawThreads
import Results
import UploadScenario

/// What the harness itself adds to every post it times.
package enum HarnessOverhead {
  /// The time of a post on which a contender does nothing at all, median of `posts`, in nanoseconds: two readings of the clock and
  /// the call of the completion in between.
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

/// The clock measured with itself.
package enum ClockProbe {
  /// What a reading takes, and the clock's smallest step.
  package static func record(
    into record: inout MachineRecord, clock: HarnessClock = .monotonic, readings: Int = 20_000
  ) {
    record.clockReadingNanoseconds = readingNanoseconds(clock, readings)
    record.clockStepNanoseconds = stepNanoseconds(clock, readings).map { Double($0) }
  }

  /// The mean of many readings in a row; the fastest of ten such rows, since disturbance only ever adds.
  private static func readingNanoseconds(_ clock: HarnessClock, _ readings: Int) -> Double? {
    let row = max(1, readings / 10)
    return (0..<10).map { _ in
      let start = clock.nanoseconds()
      for _ in 1..<row { _ = clock.nanoseconds() }
      return Double(clock.nanoseconds() - start) / Double(row)
    }.min()
  }

  /// The smallest difference of two readings that differ; nil if none do.
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

/// Time as the harness sees it; tests put their own functions here, so that no test waits.
package struct HarnessClock: Sendable {
  /// Now, since some fixed moment; never goes back.
  package var nanoseconds: @Sendable () -> UInt64
  /// Sleeps until the parker is woken or a moment has come; false if the moment came first.
  package var park: @Sendable (_ parker: Parker, _ untilNanoseconds: UInt64) -> Bool = {
    $0.park(untilNanoseconds: $1)
  }
  /// Returns at a moment or a little later, keeping the processor for at most `spin` before; one that has passed returns at once.
  package var sleep: @Sendable (_ untilNanoseconds: UInt64, _ spinNanoseconds: UInt64) -> Void = {
    PreciseSleep.sleep(untilNanoseconds: $0, spinNanoseconds: $1)
  }

  /// The machine's own clock, which nobody sets.
  package static let monotonic = HarnessClock { MonotonicClock.nanoseconds() }
}
