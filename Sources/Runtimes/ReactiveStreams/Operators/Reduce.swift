extension Publishers {
  /// Publishes all values folded into one when the upstream finishes.
  public struct Reduce<Upstream: Publisher, Output: Sendable>: Operator {
    public let upstream: Upstream
    /// What is published of no values at all.
    public let initialResult: Output
    /// Called once for each value, on the thread that sends it.
    public let update: @Sendable (inout Output, Upstream.Output) -> Void

    @inlinable
    init(
      upstream: Upstream, _ initialResult: Output,
      update: @escaping @Sendable (inout Output, Upstream.Output) -> Void
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.update = update
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(
        subscriber: ReduceSubscriber(OnceSubscription(subscriber), initialResult, update: update))
    }
  }
}

extension Publisher {
  /// Publishes all values folded into one; asks for all of them on first demand.
  @inlinable
  public func reduce<T: Sendable>(
    _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T
  ) -> Publishers.Reduce<Self, T> {
    Publishers.Reduce(upstream: self, initialResult) { $0 = nextPartialResult($0, $1) }
  }

  /// Publishes all values as one array when this publisher finishes; asks for all of them on first demand.
  @inlinable public func collect() -> Publishers.Reduce<Self, [Output]> {
    Publishers.Reduce(upstream: self, []) { $0.append($1) }
  }
}

@usableFromInline
struct ReduceSubscriber<Input: Sendable, Downstream: Subscriber>: Subscriber {
  @usableFromInline let subscription: OnceSubscription<Downstream>
  @usableFromInline var result: Downstream.Input
  @usableFromInline let update: @Sendable (inout Downstream.Input, Input) -> Void

  @inlinable
  init(
    _ subscription: OnceSubscription<Downstream>, _ result: Downstream.Input,
    update: @escaping @Sendable (inout Downstream.Input, Input) -> Void
  ) {
    self.subscription = subscription
    self.result = result
    self.update = update
  }

  @inlinable mutating func receive(subscription upstream: any Subscription) {
    subscription.begin(asking: upstream)
  }
  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    update(&result, input)
    return .none
  }
  @inlinable mutating func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if let error = completion.error { subscription.fail(error) } else { subscription.succeed(result) }
  }
  @inlinable mutating func receive(last input: Input) {
    update(&result, input)
    subscription.succeed(result)
  }
}
