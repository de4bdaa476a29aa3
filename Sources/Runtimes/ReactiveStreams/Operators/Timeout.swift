extension Publishers {
  /// Ends the stream when no signal has come for an interval.
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    /// The longest time without a signal. `nil` means no limit.
    public let interval: Duration?
    /// The scheduler that measures the time and sends the end.
    public let scheduler: Context
    /// Makes the failure that is sent after the interval. `nil` means that the stream finishes instead.
    public let customError: (@Sendable () -> Failure)?

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      guard let interval else { return upstream.receive(subscriber: subscriber) }
      guard interval > .zero else {
        guard let customError else { return Empty<Output, Failure>().receive(subscriber: subscriber) }
        return Fail<Output, Failure>(error: customError()).receive(subscriber: subscriber)
      }
      let logic = TimingOut<S>(
        silence: MovingDeadline(interval: interval, scheduler: scheduler), customError: customError)
      upstream.receive(subscriber: OperatorInput(OperatorStage(subscriber, logic), initialDemand: .none))
    }
  }
}

extension Publisher {
  /// Cancels this publisher if no signal has come for `interval`, then fails with `customError`, or finishes if that is `nil`.
  ///
  /// The time starts at the subscription and again at each value. If `interval` is not positive, nothing is subscribed to.
  public func timeout<S: Scheduler>(
    _ interval: Duration?, scheduler: S, customError: (@Sendable () -> Failure)? = nil
  ) -> Publishers.Timeout<Self, S> {
    Publishers.Timeout(upstream: self, interval: interval, scheduler: scheduler, customError: customError)
  }
}

private struct TimingOut<Downstream: Subscriber>: OperatorLogic {
  static var passesDemand: Bool { true }

  var silence: MovingDeadline
  let customError: (@Sendable () -> Downstream.Failure)?

  mutating func begin(_ stage: OperatorStage<Self>) { silence.restart { stage.timerFired() } }

  mutating func receive(_ input: Downstream.Input, _ stage: OperatorStage<Self>) {
    silence.restart { stage.timerFired() }
    stage.forward(input)
  }

  mutating func receive(last input: Downstream.Input, _ stage: OperatorStage<Self>) { stage.end(last: input) }

  mutating func timerFired(_ stage: OperatorStage<Self>) {
    guard silence.hasPassed({ stage.timerFired() }) else { return }
    stage.end(customError.map { .failure($0()) } ?? .finished)
  }

  mutating func stop() { silence.stop() }
}

/// A deadline that every signal postpones. Its timer is set at most once per interval.
struct MovingDeadline: Sendable {
  let interval: Duration
  let scheduler: any Scheduler
  var deadline = Duration.zero
  /// The delay for which the running timer was set.
  var timerDeadline = Duration.zero
  var timer: AnyCancellable?

  init(interval: Duration, scheduler: any Scheduler) {
    self.interval = interval
    self.scheduler = scheduler
  }

  /// Moves the deadline to one interval from now. When the timer fires, the owner calls `hasPassed`.
  mutating func restart(_ fire: @escaping @Sendable () -> Void) {
    deadline = scheduler.now + interval
    if timer == nil { setTimer(interval, fire) }
  }

  /// Returns true if no signal has postponed the deadline since the timer was set. Otherwise sets the timer again.
  mutating func hasPassed(_ fire: @escaping @Sendable () -> Void) -> Bool {
    guard timer != nil else { return false }
    timer = nil
    // The deadline is not compared with the current time, because the time of an immediate scheduler does not pass.
    if deadline == timerDeadline { return true }
    setTimer(deadline - scheduler.now, fire)
    return false
  }

  mutating func stop() { timer = nil }

  private mutating func setTimer(_ delay: Duration, _ fire: @escaping @Sendable () -> Void) {
    timerDeadline = deadline
    timer = scheduler.schedule(after: delay, fire)
  }
}
