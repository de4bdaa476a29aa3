import RawThreads

/// Time as the load generator sees it; tests inject their own, so that no test waits.
public struct LoadClock: Sendable {
  /// Now, since some fixed moment; never goes back.
  public var nanoseconds: @Sendable () -> UInt64
  /// Returns at a moment or later, as little later as it can; one that has passed returns at once.
  ///
  /// - Parameter spin: for how long before it the processor may be kept.
  public var sleep: @Sendable (_ untilNanoseconds: UInt64, _ spinNanoseconds: UInt64) -> Void

  /// A clock of a test's own.
  public init(
    nanoseconds: @escaping @Sendable () -> UInt64,
    sleep: @escaping @Sendable (_ untilNanoseconds: UInt64, _ spinNanoseconds: UInt64) -> Void
  ) {
    self.nanoseconds = nanoseconds
    self.sleep = sleep
  }

  /// The machine's own clock, which nobody sets.
  public static let monotonic = LoadClock(
    nanoseconds: { MonotonicClock.nanoseconds() },
    sleep: { PreciseSleep.sleep(untilNanoseconds: $0, spinNanoseconds: $1) })
}
