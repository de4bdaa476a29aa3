extension Publishers {
  /// Publishes a limited number of values, then finishes and cancels the upstream.
  public struct Prefix<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// The largest number of published values. If it is 0, the upstream is not subscribed to.
    public let maxLength: Int

    /// Creates the publisher that ``Publisher/prefix(_:)`` returns. Traps if `maxLength` is negative.
    @inlinable public init(upstream: Upstream, maxLength: Int) {
      precondition(maxLength >= 0, "prefix(\(maxLength)): the number of values must be at least 0")
      self.upstream = upstream
      self.maxLength = maxLength
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if maxLength == 0 {
        Empty<Output, Failure>().receive(subscriber: subscriber)
      } else {
        upstream.receive(subscriber: PrefixSubscriber(downstream: subscriber, remaining: maxLength))
      }
    }
  }
}

extension Publisher {
  /// Publishes the first `maxLength` values, then finishes.
  @inlinable public func prefix(_ maxLength: Int) -> Publishers.Prefix<Self> {
    Publishers.Prefix(upstream: self, maxLength: maxLength)
  }

  /// Publishes the first value, then finishes.
  @inlinable public func first() -> Publishers.Prefix<Self> { prefix(1) }
}

@usableFromInline struct PrefixSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline var downstream: Downstream
  @usableFromInline var remaining: Int
  @usableFromInline var upstream: (any Subscription)?

  @inlinable init(downstream: Downstream, remaining: Int) {
    self.downstream = downstream
    self.remaining = remaining
  }

  @inlinable mutating func receive(subscription: any Subscription) {
    if upstream == nil { upstream = subscription }
    downstream.receive(subscription: subscription)
  }
  @inlinable mutating func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    if remaining == 0 { return .none }
    remaining -= 1
    if remaining > 0 { return downstream.receive(input) }
    upstream.take()?.cancel()
    downstream.receive(last: input)
    return .none
  }
  @inlinable mutating func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if remaining > 0 { downstream.receive(completion: completion) }
  }
  @inlinable mutating func receive(last input: Downstream.Input) {
    if remaining > 0 { downstream.receive(last: input) }
    remaining = 0
  }
}
