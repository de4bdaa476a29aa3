extension Publishers {
  /// Publishes all values as one array when the upstream finishes.
  public struct Collect<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    /// What is subscribed to, anew for each subscriber.
    public let upstream: Upstream

    /// ``Publisher/collect()`` makes it.
    @inlinable public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: CollectSubscriber(OnceSubscription(subscriber)))
    }
  }
}

extension Publisher {
  /// Publishes all values as one array when this publisher finishes; asks for all of them on first demand.
  @inlinable
  public func collect() -> Publishers.Collect<Self> { Publishers.Collect(upstream: self) }
}

@usableFromInline
struct CollectSubscriber<Input: Sendable, Downstream: Subscriber>: Subscriber
where Downstream.Input == [Input] {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let result: OnceSubscription<Downstream>
  @usableFromInline var values: [Input] = []

  @inlinable init(_ result: OnceSubscription<Downstream>) { self.result = result }

  @inlinable mutating func receive(subscription: any Subscription) {
    guard result.upstream == nil else { return subscription.cancel() }
    result.upstream = subscription
    result.begin()
  }
  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    values.append(input)
    return .none
  }
  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: result.succeed(values)
    case .failure(let error): result.fail(error)
    }
  }
  @inlinable mutating func receive(last input: Input) {
    values.append(input)
    result.succeed(values)
  }
}
