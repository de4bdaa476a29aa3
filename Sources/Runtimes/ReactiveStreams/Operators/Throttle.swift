extension Publishers {
  /// Publishes at most one value per interval.
  public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// What is subscribed to, anew for each subscriber.
    public let upstream: Upstream
    /// How long it is at least from one value to the next.
    public let interval: Duration
    /// Tells the time, and sends what has waited.
    public let scheduler: Context
    /// Whether the last value of an interval is published, rather than the first.
    public let latest: Bool

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let logic = Throttling<S>(interval: interval, scheduler: scheduler, keepsLatest: latest)
      upstream.receive(subscriber: StageInput(Stage(subscriber, logic), initialDemand: .unlimited))
    }
  }
}

extension Publisher {
  /// Publishes at most one value per interval: the first at once, then the latest or the first of those that
  /// came during an interval, at its end, from the scheduler.
  ///
  /// Asks for all values. One that is due waits for demand; meanwhile later ones replace it if `latest` is
  /// true and are dropped if not. At a successful end the value that waits is due at once; a failure drops it.
  public func throttle<S: Scheduler>(
    for interval: Duration, scheduler: S, latest: Bool
  ) -> Publishers.Throttle<Self, S> {
    Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }
}

private struct Throttling<Downstream: Subscriber>: StageLogic {
  typealias Input = Downstream.Input
  typealias UpstreamFailure = Downstream.Failure
  typealias Signal = Void

  let interval: Duration
  let scheduler: any Scheduler
  let keepsLatest: Bool
  private var held: Input?
  /// Runs during an interval that a value has begun.
  private var timer: AnyCancellable?
  private var hasFinished = false

  init(interval: Duration, scheduler: any Scheduler, keepsLatest: Bool) {
    self.interval = interval
    self.scheduler = scheduler
    self.keepsLatest = keepsLatest
  }

  mutating func receive(_ input: Input, _ stage: Stage<Self>) {
    if held == nil || keepsLatest { held = input }
    flush(stage)
  }

  mutating func receive(signal: Void, _ stage: Stage<Self>) {
    timer = nil
    flush(stage)
  }

  mutating func receive(completion: Subscribers.Completion<UpstreamFailure>, _ stage: Stage<Self>) {
    guard case .finished = completion else { return stage.end(completion) }
    hasFinished = true
    timer = nil
    flush(stage)
  }

  mutating func demandGrew(_ stage: Stage<Self>) { flush(stage) }

  mutating func stop() -> (any Subscription)? {
    timer = nil
    held = nil
    return nil
  }

  private mutating func flush(_ stage: Stage<Self>) {
    if timer == nil, stage.canSend, let value = held.take() {
      if !hasFinished { timer = scheduler.schedule(after: interval) { stage.signal(()) } }
      stage.send(value)
    }
    if hasFinished, held == nil { stage.end(.finished) }
  }
}
