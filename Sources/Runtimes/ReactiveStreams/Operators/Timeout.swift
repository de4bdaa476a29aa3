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
      let logic = TimingOut<S>(interval: interval, scheduler: scheduler, customError: customError)
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

/// The logic of `timeout`. Every value postpones the deadline, but the timer is set at most once per interval.
private struct TimingOut<Downstream: Subscriber>: OperatorLogic {
  static var passesDemand: Bool { true }

  let interval: Duration
  let scheduler: any Scheduler
  let customError: (@Sendable () -> Downstream.Failure)?
  var deadline = Duration.zero
  /// The value of `deadline` when the timer was set.
  var timerDeadline = Duration.zero
  var timer: AnyCancellable?

  mutating func begin(_ stage: OperatorStage<Self>) { postpone(stage) }

  mutating func receive(_ input: Downstream.Input, _ stage: OperatorStage<Self>) {
    postpone(stage)
    stage.forward(input)
  }

  mutating func receive(last input: Downstream.Input, _ stage: OperatorStage<Self>) { stage.end(last: input) }

  mutating func timerFired(_ stage: OperatorStage<Self>) {
    guard timer != nil else { return }
    timer = nil
    // The deadline is not compared with the current time, because the time of an `ImmediateScheduler` never passes.
    if deadline == timerDeadline {
      stage.end(customError.map { .failure($0()) } ?? .finished)
    } else {
      setTimer(deadline - scheduler.now, stage)
    }
  }

  mutating func stop() { timer = nil }

  private mutating func postpone(_ stage: OperatorStage<Self>) {
    deadline = scheduler.now + interval
    if timer == nil { setTimer(interval, stage) }
  }

  private mutating func setTimer(_ delay: Duration, _ stage: OperatorStage<Self>) {
    timerDeadline = deadline
    timer = scheduler.schedule(after: delay) { stage.timerFired() }
  }
}
