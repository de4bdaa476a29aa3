import ReactiveStreams
import Synchronization
import TestSupport
import Testing

@Suite("Timer", .ownThread) struct TimerTests {
  private let scheduler = TestScheduler()
  private let probe = Probe<Int, Never>()

  @Test func `each interval's number comes when it has passed`() {
    Publishers.Timer(every: .seconds(2), on: scheduler).subscribe(probe)
    probe.request(.unlimited)
    scheduler.advance(by: .seconds(1))
    #expect(probe.values == [])
    scheduler.advance(by: .seconds(5))
    #expect(probe.values == [1, 2, 3] && probe.violations == [])
  }

  @Test func `ticks without demand are dropped, and the numbers tell how many`() {
    Publishers.Timer(every: .seconds(1), on: scheduler).subscribe(probe)
    #expect(scheduler.pendingCount == 0)
    probe.request(.max(1))
    scheduler.advance(by: .milliseconds(4500))
    #expect(probe.values == [1] && scheduler.pendingCount == 0)
    probe.request(.max(2))
    #expect(probe.values == [1])
    scheduler.advance(by: .seconds(10))
    #expect(probe.values == [1, 5, 6] && probe.violations == [])
  }

  @Test func `a late scheduler does not shift the ticks after it`() {
    let late = LateScheduler()
    Publishers.Timer(every: .seconds(1), on: late).subscribe(probe)
    probe.request(.unlimited)
    late.fire(at: .milliseconds(3200))
    late.fire(at: .milliseconds(4000))
    #expect(probe.values == [3, 4])
    #expect(late.delays == [.seconds(1), .milliseconds(800), .seconds(1)])
  }

  @Test func `an immediate scheduler ticks once per request, at once`() {
    Publishers.Timer(every: .seconds(1), on: ImmediateScheduler.shared).subscribe(probe)
    probe.request(.max(3))
    #expect(probe.values == [1, 2, 3] && probe.violations == [])
  }

  @Test func `a cancellation stops the clock`() {
    Publishers.Timer(every: .seconds(1), on: scheduler).subscribe(probe)
    probe.request(.unlimited)
    scheduler.advance(by: .seconds(1))
    probe.cancel()
    #expect(scheduler.pendingCount == 0)
  }
}

/// A scheduler whose one action runs when the test fires it, at the test's time.
private final class LateScheduler: Scheduler {
  private struct State {
    var now = Duration.zero
    var delays: [Duration] = []
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  var now: Duration { state.withLock { $0.now } }
  var delays: [Duration] { state.withLock { $0.delays } }

  func schedule(_ action: @escaping @Sendable () -> Void) { action() }

  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    state.withLock {
      $0.delays.append(delay)
      $0.action = action
    }
    return AnyCancellable {}
  }

  func fire(at now: Duration) {
    let action = state.withLock {
      $0.now = now
      return $0.action.take()
    }
    action?()
  }
}
