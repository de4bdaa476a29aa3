import RawThreads
import Results

/// The clock measured with itself.
public enum ClockProbe {
  /// What a reading takes, and the clock's smallest step.
  ///
  /// - Parameters:
  ///   - record: where both figures are written.
  ///   - clock: the clock that is measured.
  ///   - readings: how often it is read, for each of the two figures.
  public static func record(
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
