import RawThreads
import Synchronization
import UploadScenario

/// How late a repeating timer of an idiom becomes beside its other work.
final class TimerLag: Sendable {
  private static let intervalNanoseconds: UInt64 = 1_000_000
  /// How long to wait until it fires for the first time; an idiom whose timer has not by then has none.
  private static let timeoutNanoseconds: UInt64 = 1_000_000_000

  private let clock: HarnessClock
  private let parker = Parker()
  private let last = Atomic<UInt64>(0)
  private let longestGap = Atomic<UInt64>(0)

  private init(clock: HarnessClock) { self.clock = clock }

  /// The longest gap between firings while `body` ran, its end included, beyond the interval; nil for an idiom without a timer.
  static func worst<Value>(
    of contender: any Contender, clock: HarnessClock, during body: () throws -> Value
  ) rethrows -> (Value, UInt64?) {
    let lag = TimerLag(clock: clock)
    let handle = contender.heartbeat(every: .nanoseconds(Int64(intervalNanoseconds))) { lag.fire() }
    defer { handle.cancel() }
    guard lag.waitForFirst() else { return (try body(), nil) }
    lag.last.store(clock.nanoseconds(), ordering: .relaxed)
    lag.longestGap.store(0, ordering: .relaxed)
    let value = try body()
    let gap = lag.extend(to: clock.nanoseconds())
    return (value, gap > intervalNanoseconds ? gap - intervalNanoseconds : 0)
  }

  private func waitForFirst() -> Bool {
    let deadline = clock.nanoseconds() + Self.timeoutNanoseconds
    while last.load(ordering: .relaxed) == 0 {
      if !clock.park(parker, deadline) { return last.load(ordering: .relaxed) != 0 }
    }
    return true
  }

  private func fire() {
    let now = clock.nanoseconds()
    extend(to: now)
    if last.exchange(now, ordering: .relaxed) == 0 { parker.unpark() }
  }

  /// Takes the gap since the last firing into account; returns the longest so far.
  @discardableResult
  private func extend(to now: UInt64) -> UInt64 {
    let earlier = last.load(ordering: .relaxed)
    let gap = earlier == 0 || earlier > now ? 0 : now - earlier
    return longestGap.max(gap, ordering: .relaxed).newValue
  }
}
