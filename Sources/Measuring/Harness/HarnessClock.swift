import RawThreads

/// Time as the harness sees it; tests inject their own, so that no test waits.
public struct HarnessClock: Sendable {
  /// Now, since some fixed moment; never goes back.
  public var nanoseconds: @Sendable () -> UInt64
  /// Sleeps until the parker is woken or a moment has come; false if the moment came first.
  public var park: @Sendable (_ parker: Parker, _ untilNanoseconds: UInt64) -> Bool

  /// A clock of a test's own.
  public init(
    nanoseconds: @escaping @Sendable () -> UInt64,
    park: @escaping @Sendable (_ parker: Parker, _ untilNanoseconds: UInt64) -> Bool
  ) {
    self.nanoseconds = nanoseconds
    self.park = park
  }

  /// The machine's own clock, which nobody sets.
  public static let monotonic = HarnessClock(
    nanoseconds: { MonotonicClock.nanoseconds() }, park: { $0.park(untilNanoseconds: $1) })
}
