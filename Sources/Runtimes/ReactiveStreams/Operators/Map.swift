extension Publishers {
  /// Publishes what a closure makes of each value.
  public struct Map<Upstream: Publisher, Output: Sendable>: Publisher {
    public typealias Failure = Upstream.Failure

    /// What is subscribed to, anew for each subscriber.
    public let upstream: Upstream
    /// Called once for each value, on the thread that sends it.
    public let transform: @Sendable (Upstream.Output) -> Output

    /// ``Publisher/map(_:)`` makes it.
    @inlinable
    public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: MapSubscriber(downstream: subscriber, transform: transform))
    }
  }
}

extension Publisher {
  /// Publishes what `transform` makes of each value.
  @inlinable
  public func map<T: Sendable>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.Map<Self, T> {
    Publishers.Map(upstream: self, transform: transform)
  }
}

@usableFromInline
struct MapSubscriber<Input: Sendable, Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline var downstream: Downstream
  @usableFromInline let transform: @Sendable (Input) -> Downstream.Input

  @inlinable
  init(downstream: Downstream, transform: @escaping @Sendable (Input) -> Downstream.Input) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable mutating func receive(subscription: any Subscription) {
    downstream.receive(subscription: subscription)
  }
  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    downstream.receive(transform(input))
  }
  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
  @inlinable mutating func receive(last input: Input) { downstream.receive(last: transform(input)) }
}
