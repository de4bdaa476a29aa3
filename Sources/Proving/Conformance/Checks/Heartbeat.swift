import RawThreads
import Synchronization
import UploadScenario

extension PatternCheck {
  /// It beats as often as it is let.
  func heartbeatBeats() {
    heartbeat(every: .milliseconds(1)) { trial in
      if !trial.wait({ $0.begun >= 48 }) { trial.report(promised: "48 beats") }
    }
  }

  func heartbeatDoesNotOverlap() {
    // Longer than the interval, so that the next beat is due.
    heartbeat(every: .milliseconds(1), lastingNanoseconds: 4_000_000) { trial in
      trial.wait { $0.begun >= 12 || $0.most > 1 }
      if trial.state.most > 1 { trial.report(promised: "one at a time") }
    }
  }

  func heartbeatStops() {
    for beats in [1, 2, 12] {
      heartbeat(every: .milliseconds(1)) { trial in
        trial.wait { $0.begun >= beats }
        trial.cancel()
        // Either the beat is released, after which it cannot be called again, or it is called once too often.
        trial.wait { $0.isReleased || $0.late > 1 }
        if trial.state.late > 1 { trial.report(promised: "at most one that was being called") }
      }
    }
    // One that lasts is the one that was being called: none follows it.
    heartbeat(every: .milliseconds(1), lastingNanoseconds: 6_000_000) { trial in
      trial.wait { $0.begun >= 2 && $0.now == 1 }
      trial.cancel(whileOneLasts: true)
      trial.wait { $0.isReleased || $0.late > 0 }
      if trial.state.late > 0 { trial.report(promised: "none after the one that lasted") }
    }
  }

  func heartbeatLeavesNothing() {
    for interval in [Duration.milliseconds(1), .seconds(3600)] {
      heartbeat(every: interval) { trial in
        trial.cancel()
        trial.dropHandle()
        if !trial.wait({ $0.isReleased }) {
          trial.report(promised: "what is called let go, interval \(interval)")
        }
      }
    }
  }

  private func heartbeat(
    every interval: Duration, lastingNanoseconds: UInt64 = 0, _ script: (HeartbeatTrial) -> Void
  ) {
    guard !isOver else { return }
    let trial = HeartbeatTrial(self)
    trial.start(every: interval, lastingNanoseconds: lastingNanoseconds)
    script(trial)
    trial.cancel()
  }
}

/// A heartbeat under observation.
private final class HeartbeatTrial {
  struct State {
    /// How many beats have begun, how many last, and the most that did at once.
    var (begun, now, most) = (0, 0, 0)
    var isCancelled = false
    /// How many began after `cancel` had returned.
    var late = 0
    /// Nothing can call the beat any more.
    var isReleased = false
  }

  /// What the beat and the script share.
  private final class Pulse: Sendable {
    let state = Mutex(State())
    let parker = Parker()

    func change(_ body: (inout State) -> Void) {
      state.withLock { body(&$0) }
      parker.unpark()
    }
  }

  private let check: PatternCheck
  private let pulse = Pulse()
  private var handle: (any Cancellable)?

  init(_ check: PatternCheck) { self.check = check }

  func start(every interval: Duration, lastingNanoseconds: UInt64) {
    let token = Token { [pulse] in pulse.change { $0.isReleased = true } }
    handle = check.contender.heartbeat(every: interval) { [pulse] in
      defer { withExtendedLifetime(token) {} }
      pulse.change {
        $0.begun += 1
        $0.now += 1
        $0.most = max($0.most, $0.now)
        if $0.isCancelled { $0.late += 1 }
      }
      if lastingNanoseconds > 0 {
        Parker().park(untilNanoseconds: MonotonicClock.nanoseconds() + lastingNanoseconds)
      }
      pulse.change { $0.now -= 1 }
    }
  }

  /// - Parameter whileOneLasts: whether beats count as late only if one was being called before and after.
  func cancel(whileOneLasts: Bool = false) {
    let begun = state.begun
    handle?.cancel()
    pulse.change { state in
      state.isCancelled = !whileOneLasts || state.now == 1 && state.begun == begun
    }
  }

  func dropHandle() { handle = nil }

  var state: State { pulse.state.withLock { $0 } }

  /// Waits until something holds; false: the wait has timed out.
  @discardableResult
  func wait(_ condition: (State) -> Bool) -> Bool {
    var watch = check.patience.watch(isTimed: true)
    while !condition(state) {
      if pulse.parker.park(untilNanoseconds: watch.nextLookNanoseconds) {
        watch.somethingHappened()
      } else if watch.isOver() {
        return condition(state)
      }
    }
    return true
  }

  func report(promised: String) {
    let state = state
    check.patience.hung()
    let seen = "\(state.begun) beats, at most \(state.most) at once, \(state.late) after the cancellation"
    check.report(Breach(check.rule, seen: seen, promised: promised), scenario: "a heartbeat")
  }
}
