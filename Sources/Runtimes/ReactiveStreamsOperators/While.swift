import ReactiveStreams

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
