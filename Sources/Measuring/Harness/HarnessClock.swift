import RawThreads

/// Time as the harness sees it; tests put their own functions here, so that no test waits.
public struct HarnessClock: Sendable {
  /// Now, since some fixed moment; never goes back.
  public var nanoseconds: @Sendable () -> UInt64
  /// Sleeps until the parker is woken or a moment has come; false if the moment came first.
  public var park: @Sendable (_ parker: Parker, _ untilNanoseconds: UInt64) -> Bool = {
    $0.park(untilNanoseconds: $1)
  }
  /// Returns at a moment or later, as little later as it can; one that has passed returns at once.
  ///
  /// - Parameter spin: for how long before it the processor may be kept.
  public var sleep: @Sendable (_ untilNanoseconds: UInt64, _ spinNanoseconds: UInt64) -> Void = {
    PreciseSleep.sleep(untilNanoseconds: $0, spinNanoseconds: $1)
  }

  /// A clock that reads as told, and sleeps by the machine's own.
  public init(nanoseconds: @escaping @Sendable () -> UInt64) { self.nanoseconds = nanoseconds }

  /// The machine's own clock, which nobody sets.
  public static let monotonic = HarnessClock { MonotonicClock.nanoseconds() }
}
