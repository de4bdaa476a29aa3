import RawThreads
import Synchronization
import UploadScenario

/// Measures how late a contender's repeating timer fires while the contender does other work.
final class TimerLag: Sendable {
  private static let intervalNanoseconds: UInt64 = 1_000_000
  /// A contender whose timer has not fired after this time counts as one without timers.
  private static let timeoutNanoseconds: UInt64 = 1_000_000_000

  private let clock: HarnessClock
  private let parker = Parker()
  private let last = Atomic<UInt64>(0)
  private let longestGap = Atomic<UInt64>(0)

  private init(clock: HarnessClock) { self.clock = clock }

  /// The longest time between two firings during `body`, minus the timer's interval. `nil` if the contender has no timer.
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

  @discardableResult
  private func extend(to now: UInt64) -> UInt64 {
    let earlier = last.load(ordering: .relaxed)
    let gap = earlier == 0 || earlier > now ? 0 : now - earlier
    return longestGap.max(gap, ordering: .relaxed).newValue
  }
}

/// Measures how long one thread takes to wake another. That can double within minutes, since processors sleep more or less
/// deeply, and it is most of a small post's time for some contenders.
package enum HandOver {
  /// Half the duration of each round trip between two threads that wake each other, in nanoseconds.
  ///
  /// - Parameters:
  ///   - roundTrips: the number of timed round trips, after a tenth as many untimed ones.
  ///   - pauseNanoseconds: how long both threads sleep before each round trip, so that processors go to sleep, too.
  /// - Returns: An empty array if the other thread could not start: it did not answer within a second.
  package static func nanoseconds(
    roundTrips: Int = 200, pauseNanoseconds: UInt64 = 200_000, clock: HarnessClock = .monotonic
  ) -> [Double] {
    let (there, back) = (Parker(), Parker())
    let isOver = Atomic(false)
    let other = RawThread(name: "hand-over") {
      while true {
        there.park()
        if isOver.load(ordering: .acquiring) { return }
        back.unpark()
      }
    }
    func roundTrip() -> Double? {
      if pauseNanoseconds > 0 { clock.sleep(clock.nanoseconds() + pauseNanoseconds, 0) }
      let start = clock.nanoseconds()
      there.unpark()
      guard clock.park(back, start + 1_000_000_000) else { return nil }
      return Double(clock.nanoseconds() - start) / 2
    }
    func end() {
      isOver.store(true, ordering: .releasing)
      there.unpark()
    }
    var halves: [Double] = []
    for _ in 0..<roundTrips / 10 + roundTrips {
      guard let half = roundTrip() else {
        end()
        return []
      }
      halves.append(half)
    }
    end()
    other.join()
    return Array(halves.suffix(roundTrips))
  }
}
