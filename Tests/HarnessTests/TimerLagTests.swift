import RawThreads
import Synchronization
import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct TimerLagTests {
  /// Its heart beats when it is told to; the first time by itself, unless it has none.
  private final class Heart: PartialContender {
    let name = "heart"
    let summary = "a heart"
    let patterns = [Pattern.blocking]
    let beat = Mutex<(@Sendable () -> Void)?>(nil)
    let isDead: Bool

    init(isDead: Bool = false) { self.isDead = isDead }

    private final class Handle: Cancellable {
      let heart: Heart
      init(_ heart: Heart) { self.heart = heart }
      func cancel() { heart.beat.withLock { $0 = nil } }
    }

    func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
      self.beat.withLock { $0 = beat }
      if !isDead { beat() }
      return Handle(self)
    }

    func beatOnce() {
      let beat = beat.withLock { $0 }
      beat?()
    }
  }

  private let clock = FakeClock().clock

  private func pass(_ milliseconds: UInt64) {
    _ = clock.park(Parker(), clock.nanoseconds() + milliseconds * 1_000_000)
  }

  /// The fake clock's own steps take some hundred nanoseconds.
  private func milliseconds(_ nanoseconds: UInt64?) -> UInt64? { nanoseconds.map { $0 / 1_000_000 } }

  @Test func `the longest wait beyond the interval counts`() {
    let heart = Heart()
    let (_, worst) = TimerLag.worst(of: heart, clock: clock) {
      for wait: UInt64 in [1, 5, 2] {
        pass(wait)
        heart.beatOnce()
      }
    }
    #expect(milliseconds(worst) == 4)
  }

  @Test func `a timer that never fires is late at the end`() {
    let (_, worst) = TimerLag.worst(of: Heart(), clock: clock) { pass(8) }
    #expect(milliseconds(worst) == 7)
  }

  @Test func `a timer that fires in time is not late`() {
    let heart = Heart()
    let (value, worst) = TimerLag.worst(of: heart, clock: clock) {
      heart.beatOnce()
      return 42
    }
    #expect((value, worst) == (42, 0))
  }

  @Test func `an idiom without a timer has no lag`() {
    let (value, worst) = TimerLag.worst(of: Heart(isDead: true), clock: clock) { 42 }
    #expect(value == 42)
    #expect(worst == nil)
  }

  @Test func `the timer is stopped afterwards`() {
    let heart = Heart()
    _ = TimerLag.worst(of: heart, clock: clock) {}
    #expect(heart.beat.withLock { $0 == nil })
  }
}
