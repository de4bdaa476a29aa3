extension Publishers {
  /// Fails when the next signal takes longer than an interval.
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// What is subscribed to, anew for each subscriber.
    public let upstream: Upstream
    /// Nil: it may take as long as it likes.
    public let interval: Duration?
    /// Tells the time, and sends the failure.
    public let scheduler: Context
    /// Makes the failure, once time is up.
    public let customError: @Sendable () -> Failure

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      guard let interval else { return upstream.receive(subscriber: subscriber) }
      guard interval > .zero else {
        return Fail<Output, Failure>(error: customError()).receive(subscriber: subscriber)
      }
      let logic = TimingOut<S>(MovingDeadline(interval, scheduler), customError)
      upstream.receive(subscriber: StageInput(Stage(subscriber, logic), initialDemand: .none))
    }
  }
}

extension Publisher {
  /// Fails with `customError`, and cancels this publisher, when no signal has come for `interval`.
  ///
  /// The clock starts at the subscription and again at each value. An interval of zero or less has passed: nothing is
  /// subscribed to. Nil is no limit.
  public func timeout<S: Scheduler>(
    _ interval: Duration?, scheduler: S, customError: @escaping @Sendable () -> Failure
  ) -> Publishers.Timeout<Self, S> {
    Publishers.Timeout(upstream: self, interval: interval, scheduler: scheduler, customError: customError)
  }
}

private struct TimingOut<Downstream: Subscriber>: StageLogic {
  typealias Input = Downstream.Input
  typealias UpstreamFailure = Downstream.Failure
  typealias Signal = Void

  static var passesDemand: Bool { true }

  private var patience: MovingDeadline
  private let customError: @Sendable () -> Downstream.Failure

  init(_ patience: MovingDeadline, _ customError: @escaping @Sendable () -> Downstream.Failure) {
    self.patience = patience
    self.customError = customError
  }

  mutating func begin(_ stage: Stage<Self>) { patience.restart { stage.signal(()) } }

  mutating func receive(_ input: Input, _ stage: Stage<Self>) {
    patience.restart { stage.signal(()) }
    stage.forward(input)
  }

  mutating func receive(signal: Void, _ stage: Stage<Self>) {
    if patience.hasPassed({ stage.signal(()) }) { stage.end(.failure(customError())) }
  }

  mutating func receive(completion: Subscribers.Completion<UpstreamFailure>, _ stage: Stage<Self>) {
    stage.end(completion)
  }

  mutating func stop() -> (any Subscription)? {
    patience.stop()
    return nil
  }
}
