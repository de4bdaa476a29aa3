import RawThreads
import Synchronization
import UploadScenario

/// How late a repeated task of an idiom becomes beside its other work.
final class Heartbeat: Sendable {
  /// How often it is due.
  private static let intervalNanoseconds: UInt64 = 1_000_000
  /// How long to wait for the first beat; an idiom that has none by then has no heartbeat.
  private static let patienceNanoseconds: UInt64 = 1_000_000_000

  private let clock: HarnessClock
  private let parker = Parker()
  private let last = Atomic<UInt64>(0)
  private let longestGap = Atomic<UInt64>(0)

  private init(clock: HarnessClock) { self.clock = clock }

  /// The longest wait between two beats while `body` ran, beyond the interval; nil for an idiom without a heartbeat.
  ///
  /// The wait that lasts at the end of `body` counts, too: the body may have starved the heart.
  static func worstDelay<Value>(
    of contender: any Contender, clock: HarnessClock, during body: () throws -> Value
  ) rethrows -> (Value, UInt64?) {
    let heartbeat = Heartbeat(clock: clock)
    let handle = contender.heartbeat(every: .nanoseconds(Int64(intervalNanoseconds))) { heartbeat.beat() }
    defer { handle.cancel() }
    guard heartbeat.waitForFirstBeat() else { return (try body(), nil) }
    heartbeat.last.store(clock.nanoseconds(), ordering: .relaxed)
    heartbeat.longestGap.store(0, ordering: .relaxed)
    let value = try body()
    let gap = heartbeat.extend(to: clock.nanoseconds())
    return (value, gap > intervalNanoseconds ? gap - intervalNanoseconds : 0)
  }

  private func waitForFirstBeat() -> Bool {
    let deadline = clock.nanoseconds() + Self.patienceNanoseconds
    while last.load(ordering: .relaxed) == 0 {
      if !clock.park(parker, deadline) { return last.load(ordering: .relaxed) != 0 }
    }
    return true
  }

  private func beat() {
    let now = clock.nanoseconds()
    extend(to: now)
    if last.exchange(now, ordering: .relaxed) == 0 { parker.unpark() }
  }

  /// Takes the wait since the last beat into account; returns the longest so far.
  @discardableResult
  private func extend(to now: UInt64) -> UInt64 {
    let earlier = last.load(ordering: .relaxed)
    let gap = earlier == 0 || earlier > now ? 0 : now - earlier
    return longestGap.max(gap, ordering: .relaxed).newValue
  }
}
