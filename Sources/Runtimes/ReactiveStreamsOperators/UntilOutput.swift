import ReactiveStreams

extension Publisher {
  /// Publishes values until another publisher sends one; then finishes and cancels this publisher.
  ///
  /// The other is asked for one value. Its end without one changes nothing.
  public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
    Publishers.PrefixUntilOutput(upstream: self, other: publisher)
  }

  /// Drops values until another publisher sends one. If that ends without one, so does this stream; a failure of it is
  /// passed on.
  public func drop<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.DropUntilOutput<Self, P>
  where P.Failure == Failure {
    Publishers.DropUntilOutput(upstream: self, other: publisher)
  }
}

extension Publishers {
  /// Publishes values until another publisher sends one.
  public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Operator {
    public let upstream: Upstream
    /// Whose first value ends the stream. It is subscribed to first.
    public let other: Other

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = OperatorStage(subscriber, AwaitingOutput<S>(isOpen: true))
      other.receive(subscriber: OtherInput<Other, S>(stage: stage, onOutput: .finished) { _ in nil })
      upstream.receive(subscriber: OperatorInput(stage, initialDemand: .none))
    }
  }

  /// Publishes values once another publisher has sent one.
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Operator
  where Other.Failure == Upstream.Failure {
    public let upstream: Upstream
    /// Whose first value lets values pass. It is subscribed to first.
    public let other: Other

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = OperatorStage(subscriber, AwaitingOutput<S>(isOpen: false))
      other.receive(subscriber: OtherInput<Other, S>(stage: stage, onOutput: nil) { $0 })
      upstream.receive(subscriber: OperatorInput(stage, initialDemand: .none))
    }
  }
}

/// Passes values on, or drops them, until another publisher has its say.
private struct AwaitingOutput<Downstream: Subscriber>: OperatorLogic {
  static var passesDemand: Bool { true }

  enum Signal: Sendable {
    case subscribed(any Subscription)
    case open
    case end(Subscribers.Completion<Downstream.Failure>)
  }

  var isOpen: Bool
  var other: (any Subscription)?
  /// Whether the downstream has its subscription, which comes after the other's.
  var hasBegun = false
  /// The end that the other brought before.
  var early: Subscribers.Completion<Downstream.Failure>?

  init(isOpen: Bool) { self.isOpen = isOpen }

  mutating func begin(_ stage: OperatorStage<Self>) {
    hasBegun = true
    if let early { stage.end(early) }
  }

  mutating func receive(_ input: Downstream.Input, _ stage: OperatorStage<Self>) {
    if isOpen { stage.forward(input) } else { stage.upstream?.request(.max(1)) }
  }

  mutating func receive(signal: Signal, _ stage: OperatorStage<Self>) {
    switch signal {
    case .subscribed(let subscription):
      if other != nil { return subscription.cancel() }
      other = subscription
      subscription.request(.max(1))
    case .open:
      isOpen = true
      other.take()?.cancel()
    case .end(let completion):
      if hasBegun { stage.end(completion) } else { early = early ?? completion }
    }
  }

  func dismiss(_ signal: Signal) { if case .subscribed(let late) = signal { late.cancel() } }

  mutating func takeInner() -> (any Subscription)? { other.take() }
}

private struct OtherInput<Other: Publisher, Downstream: Subscriber>: Subscriber {
  let stage: OperatorStage<AwaitingOutput<Downstream>>
  /// The end that a value brings; `nil` for none.
  let onOutput: Subscribers.Completion<Downstream.Failure>?
  /// What becomes of the other's end without a value.
  let onCompletion:
    @Sendable (Subscribers.Completion<Other.Failure>) -> Subscribers.Completion<Downstream.Failure>?
  var hasSent = false

  func receive(subscription: any Subscription) { stage.signal(.subscribed(subscription)) }
  mutating func receive(_ input: Other.Output) -> Subscribers.Demand {
    if !hasSent { stage.signal(onOutput.map { .end($0) } ?? .open) }
    hasSent = true
    return .none
  }
  mutating func receive(completion: Subscribers.Completion<Other.Failure>) {
    if !hasSent, let end = onCompletion(completion) { stage.signal(.end(end)) }
    hasSent = true
  }
}

extension Publisher {
  /// Drops values as long as they satisfy the predicate; publishes the first that does not, and all after it.
  public func drop(while predicate: @escaping @Sendable (Output) -> Bool) -> Publishers.DropWhile<Self> {
    Publishers.DropWhile(upstream: self, predicate: predicate)
  }

  /// Publishes values as long as they satisfy the predicate, then finishes and cancels this publisher.
  public func prefix(while predicate: @escaping @Sendable (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
    Publishers.PrefixWhile(upstream: self, predicate: predicate)
  }

  /// Publishes the value with this number, from 0, if there are so many.
  public func output(at index: Int) -> some Publisher<Output, Failure> { dropFirst(index).prefix(1) }

  /// Publishes the values with these numbers, from 0.
  public func output(in range: some RangeExpression<Int>) -> some Publisher<Output, Failure> {
    let range = range.relative(to: 0..<Int.max)
    return dropFirst(range.lowerBound).prefix(range.count)
  }
}

extension Publishers {
  /// Publishes all values but the first ones that satisfy a predicate.
  public struct DropWhile<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// Called for each value until it is false once.
    public let predicate: @Sendable (Output) -> Bool

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: StepSubscriber(subscriber, DroppingWhile(predicate: predicate)))
    }
  }

  /// Publishes the first values, as long as they satisfy a predicate.
  public struct PrefixWhile<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// Called for each value until it is false once.
    public let predicate: @Sendable (Output) -> Bool

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: PrefixWhileSubscriber(downstream: subscriber, predicate: predicate))
    }
  }
}

private struct DroppingWhile<Value: Sendable>: ValueStep {
  let predicate: @Sendable (Value) -> Bool
  var isDropping = true

  mutating func step(_ input: Value) -> Value? {
    if isDropping, predicate(input) { return nil }
    isDropping = false
    return input
  }
}

private struct PrefixWhileSubscriber<Downstream: Subscriber>: Subscriber {
  var downstream: Downstream
  let predicate: @Sendable (Downstream.Input) -> Bool
  var upstream: (any Subscription)?
  var hasEnded = false

  mutating func receive(subscription: any Subscription) {
    if upstream == nil { upstream = subscription }
    downstream.receive(subscription: subscription)
  }
  mutating func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    if hasEnded { return .none }
    if predicate(input) { return downstream.receive(input) }
    hasEnded = true
    upstream.take()?.cancel()
    downstream.receive(completion: .finished)
    return .none
  }
  mutating func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if !hasEnded { downstream.receive(completion: completion) }
  }
}
