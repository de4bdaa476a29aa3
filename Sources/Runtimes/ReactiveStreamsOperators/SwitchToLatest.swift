import ReactiveStreams

extension Publishers {
  /// Publishes what the latest of the upstream's publishers publishes.
  public struct SwitchToLatest<Upstream: Publisher>: Operator
  where Upstream.Output: Publisher, Upstream.Output.Failure == Upstream.Failure {
    public typealias Output = Upstream.Output.Output

    /// The publisher of publishers. It is asked for all at once; each that comes cancels the one before.
    public let upstream: Upstream

    /// ``Publisher/switchToLatest()`` makes it.
    @inlinable public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = OperatorStage(subscriber, Switching<Upstream.Output, S>())
      upstream.receive(subscriber: OperatorInput(stage, initialDemand: .unlimited))
    }
  }
}

extension Publisher where Output: Publisher, Output.Failure == Failure {
  /// Publishes what the latest of these publishers publishes; each that comes cancels the one before.
  ///
  /// Demand that one has not met goes over to the next. Each is asked for all values if all are asked for here, one
  /// that waits (``Subscription/waitsForDemand``) for 64 ahead at most. Finishes when this publisher and the latest one
  /// have; a failure of either ends the stream.
  @inlinable
  public func switchToLatest() -> Publishers.SwitchToLatest<Self> {
    Publishers.SwitchToLatest(upstream: self)
  }
}

extension Publisher {
  /// Starts a publisher for each value, cancels the one before, and publishes what the latest publishes.
  @inlinable
  public func flatMapLatest<P: Publisher>(
    _ transform: @escaping @Sendable (Output) -> P
  ) -> Publishers.SwitchToLatest<Publishers.Map<Self, P>> where P.Failure == Failure {
    map(transform).switchToLatest()
  }
}

extension Publisher where Failure == Never {
  /// See `flatMapLatest(_:)`.
  @inlinable
  public func flatMapLatest<P: Publisher>(
    _ transform: @escaping @Sendable (Output) -> P
  ) -> Publishers.SwitchToLatest<Publishers.Map<Publishers.SetFailureType<Self, P.Failure>, P>> {
    setFailureType(to: P.Failure.self).flatMapLatest(transform)
  }
}

@usableFromInline
struct Switching<Inner: Publisher, Downstream: Subscriber>: OperatorLogic
where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {
  /// A signal of the inner publisher with this number.
  @usableFromInline
  enum Signal: Sendable {
    case subscribed(Int, any Subscription)
    case value(Int, Inner.Output)
    case completion(Int, Subscribers.Completion<Inner.Failure>)
  }

  @usableFromInline var number = 0
  @usableFromInline var inner: (any Subscription)?
  @usableFromInline var isInnerRunning = false
  @usableFromInline var hasUpstreamFinished = false
  /// Values asked of the inner publisher and not yet come.
  @usableFromInline var outstanding = Subscribers.Demand.none

  @inlinable init() {}

  @inlinable mutating func receive(_ input: Inner, _ stage: OperatorStage<Self>) {
    inner.take()?.cancel()
    number += 1
    outstanding = .none
    isInnerRunning = true
    input.receive(subscriber: SwitchingInput(stage: stage, number: number))
  }

  @inlinable mutating func receive(
    completion: Subscribers.Completion<Downstream.Failure>, _ stage: OperatorStage<Self>
  ) {
    hasUpstreamFinished = true
    if case .finished = completion, isInnerRunning { return }
    stage.end(completion)
  }

  @inlinable mutating func receive(signal: Signal, _ stage: OperatorStage<Self>) {
    switch signal {
    case .subscribed(number, let subscription) where inner == nil:
      inner = subscription
      ask(stage)
    case .value(number, let value):
      outstanding -= .max(1)
      if stage.canSend { stage.send(value) }
      ask(stage)
    case .completion(number, let completion):
      inner = nil
      isInnerRunning = false
      if case .finished = completion, !hasUpstreamFinished { return }
      stage.end(completion)
    default: dismiss(signal)
    }
  }

  @inlinable mutating func demandGrew(_ stage: OperatorStage<Self>) { ask(stage) }

  @inlinable func dismiss(_ signal: Signal) { if case .subscribed(_, let late) = signal { late.cancel() } }

  @inlinable mutating func takeInner() -> (any Subscription)? { inner.take() }

  @inlinable mutating func ask(_ stage: OperatorStage<Self>) {
    if let inner { stage.demand.ask(inner, &outstanding) }
  }
}

/// Brings an inner publisher's signals to the stage, with its number.
@usableFromInline
struct SwitchingInput<Inner: Publisher, Downstream: Subscriber>: Subscriber
where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {
  @usableFromInline let stage: OperatorStage<Switching<Inner, Downstream>>
  @usableFromInline let number: Int

  @inlinable
  init(stage: OperatorStage<Switching<Inner, Downstream>>, number: Int) {
    self.stage = stage
    self.number = number
  }

  @inlinable func receive(subscription: any Subscription) {
    stage.signal(.subscribed(number, subscription))
  }
  @inlinable func receive(_ input: Inner.Output) -> Subscribers.Demand {
    stage.signal(.value(number, input))
    return .none
  }
  @inlinable func receive(completion: Subscribers.Completion<Inner.Failure>) {
    stage.signal(.completion(number, completion))
  }
}
