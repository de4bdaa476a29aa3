extension Publishers {
  /// Publishes each value folded into all before it.
  public struct Scan<Upstream: Publisher, Output: Sendable>: Publisher {
    public typealias Failure = Upstream.Failure

    /// What is subscribed to, anew for each subscriber.
    public let upstream: Upstream
    /// What the first value is folded into; not published by itself.
    public let initialResult: Output
    /// Called once for each value, on the thread that sends it.
    public let nextPartialResult: @Sendable (Output, Upstream.Output) -> Output

    /// ``Publisher/scan(_:_:)`` makes it.
    @inlinable
    public init(
      upstream: Upstream, initialResult: Output,
      nextPartialResult: @escaping @Sendable (Output, Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(
        subscriber: ScanSubscriber(
          downstream: subscriber, result: initialResult, nextPartialResult: nextPartialResult))
    }
  }
}

extension Publisher {
  /// Publishes each value folded into all before it.
  @inlinable
  public func scan<T: Sendable>(
    _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T
  ) -> Publishers.Scan<Self, T> {
    Publishers.Scan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }
}

@usableFromInline
struct ScanSubscriber<Input: Sendable, Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline var downstream: Downstream
  @usableFromInline var result: Downstream.Input
  @usableFromInline let nextPartialResult: @Sendable (Downstream.Input, Input) -> Downstream.Input

  @inlinable
  init(
    downstream: Downstream, result: Downstream.Input,
    nextPartialResult: @escaping @Sendable (Downstream.Input, Input) -> Downstream.Input
  ) {
    self.downstream = downstream
    self.result = result
    self.nextPartialResult = nextPartialResult
  }

  @inlinable mutating func receive(subscription: any Subscription) {
    downstream.receive(subscription: subscription)
  }
  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    result = nextPartialResult(result, input)
    return downstream.receive(result)
  }
  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
  @inlinable mutating func receive(last input: Input) {
    result = nextPartialResult(result, input)
    downstream.receive(last: result)
  }
}
