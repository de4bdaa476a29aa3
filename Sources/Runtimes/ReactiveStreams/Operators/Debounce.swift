extension Publishers {
  /// Publishes a value when no other has followed it for an interval.
  public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// What is subscribed to, anew for each subscriber.
    public let upstream: Upstream
    /// How long it must be quiet before a value is sent.
    public let dueTime: Duration
    /// Tells the time, and sends the values.
    public let scheduler: Context

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = Stage(subscriber, Debouncing<S>(MovingDeadline(dueTime, scheduler)))
      upstream.receive(subscriber: StageInput(stage, initialDemand: .unlimited))
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
}

private struct Debouncing<Downstream: Subscriber>: StageLogic {
  typealias Input = Downstream.Input
  typealias UpstreamFailure = Downstream.Failure
  typealias Signal = Void

  private var quiet: MovingDeadline
  private var latest: Input?
  private var isDue = false
  private var hasFinished = false

  init(_ quiet: MovingDeadline) { self.quiet = quiet }

  mutating func receive(_ input: Input, _ stage: Stage<Self>) {
    latest = input
    isDue = false
    quiet.restart { stage.signal(()) }
  }

  mutating func receive(signal: Void, _ stage: Stage<Self>) {
    guard quiet.hasPassed({ stage.signal(()) }) else { return }
    isDue = true
    flush(stage)
  }

  mutating func receive(completion: Subscribers.Completion<UpstreamFailure>, _ stage: Stage<Self>) {
    guard case .finished = completion else { return stage.end(completion) }
    quiet.stop()
    isDue = true
    hasFinished = true
    flush(stage)
  }

  mutating func demandGrew(_ stage: Stage<Self>) { flush(stage) }

  mutating func stop() -> (any Subscription)? {
    quiet.stop()
    latest = nil
    return nil
  }

  private mutating func flush(_ stage: Stage<Self>) {
    if isDue, stage.canSend, let value = latest.take() { stage.send(value) }
    if hasFinished, latest == nil { stage.end(.finished) }
  }
}
