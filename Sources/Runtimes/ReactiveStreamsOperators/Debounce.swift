import ReactiveStreams

extension Publishers {
  /// Publishes a value when no other has followed it for an interval.
  public struct Debounce<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    /// How long it must be quiet before a value is sent.
    public let dueTime: Duration
    /// Tells the time, and sends the values.
    public let scheduler: Context

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = OperatorStage(
        subscriber, Debouncing<S>(quiet: MovingDeadline(interval: dueTime, scheduler: scheduler)))
      upstream.receive(subscriber: OperatorInput(stage, initialDemand: .unlimited))
    }
  }

  /// Publishes at most one value per interval.
  public struct Throttle<Upstream: Publisher, Context: Scheduler>: Operator {
    public let upstream: Upstream
    /// How long it is at least from one value to the next.
    public let interval: Duration
    /// Tells the time, and sends what has waited.
    public let scheduler: Context
    /// Whether the last value of an interval is published, rather than the first.
    public let latest: Bool

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let logic = Throttling<S>(interval: interval, scheduler: scheduler, keepsLatest: latest)
      upstream.receive(subscriber: OperatorInput(OperatorStage(subscriber, logic), initialDemand: .unlimited))
    }
  }
}

extension Publisher {
  /// Publishes a value, from the scheduler, when no other has followed it for `dueTime`.
  ///
  /// Asks for all values. One that is due waits for demand, and the next one takes its place. At a successful
  /// end the last value is due at once; a failure drops it.
  public func debounce<S: Scheduler>(for dueTime: Duration, scheduler: S) -> Publishers.Debounce<Self, S> {
    Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler)
  }

  /// Publishes the first value at once, then at each interval's end the latest or the first of those that came in it.
  ///
  /// Asks for all values. One that is due waits for demand; meanwhile later ones replace it if `latest` is true and are
  /// dropped if not. At a successful end the value that waits is due at once; a failure drops it.
  public func throttle<S: Scheduler>(
    for interval: Duration, scheduler: S, latest: Bool
  ) -> Publishers.Throttle<Self, S> {
    Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }
}

private struct Debouncing<Downstream: Subscriber>: OperatorLogic {
  var quiet: MovingDeadline
  var latest: Downstream.Input?
  var isDue = false
  var hasFinished = false

  mutating func receive(_ input: Downstream.Input, _ stage: OperatorStage<Self>) {
    latest = input
    isDue = false
    quiet.restart { stage.signal(()) }
  }

  mutating func receive(signal: Void, _ stage: OperatorStage<Self>) {
    guard quiet.hasPassed({ stage.signal(()) }) else { return }
    isDue = true
    flush(stage)
  }

  mutating func receive(completion: Subscribers.Completion<Downstream.Failure>, _ stage: OperatorStage<Self>)
  {
    guard case .finished = completion else { return stage.end(completion) }
    quiet.stop()
    isDue = true
    hasFinished = true
    flush(stage)
  }

  mutating func demandGrew(_ stage: OperatorStage<Self>) { flush(stage) }

  mutating func stop() {
    quiet.stop()
    latest = nil
  }

  private mutating func flush(_ stage: OperatorStage<Self>) {
    if isDue, stage.canSend, let value = latest.take() { stage.send(value) }
    if hasFinished, latest == nil { stage.end(.finished) }
  }
}

private struct Throttling<Downstream: Subscriber>: OperatorLogic {
  let interval: Duration
  let scheduler: any Scheduler
  let keepsLatest: Bool
  var held: Downstream.Input?
  /// Runs during an interval that a value has begun.
  var timer: AnyCancellable?
  var hasFinished = false

  mutating func receive(_ input: Downstream.Input, _ stage: OperatorStage<Self>) {
    if held == nil || keepsLatest { held = input }
    flush(stage)
  }

  mutating func receive(signal: Void, _ stage: OperatorStage<Self>) {
    timer = nil
    flush(stage)
  }

  mutating func receive(completion: Subscribers.Completion<Downstream.Failure>, _ stage: OperatorStage<Self>)
  {
    guard case .finished = completion else { return stage.end(completion) }
    hasFinished = true
    timer = nil
    flush(stage)
  }

  mutating func demandGrew(_ stage: OperatorStage<Self>) { flush(stage) }

  mutating func stop() {
    timer = nil
    held = nil
  }

  private mutating func flush(_ stage: OperatorStage<Self>) {
    if timer == nil, stage.canSend, let value = held.take() {
      if !hasFinished { timer = scheduler.schedule(after: interval) { stage.signal(()) } }
      stage.send(value)
    }
    if hasFinished, held == nil { stage.end(.finished) }
  }
}
