extension Publishers {
  /// Folds all values into one result, which it publishes when the upstream finishes.
  public struct Reduce<Upstream: Publisher, Output: Sendable>: Operator {
    public let upstream: Upstream
    /// The initial result, which is published if there are no values.
    public let initialResult: Output
    /// Called once for each value, on the thread that sends it.
    public let nextPartialResult: @Sendable (Output, Upstream.Output) -> Output

    /// Creates the publisher that ``Publisher/reduce(_:_:)`` returns.
    @inlinable public init(
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
        subscriber: ReduceSubscriber(
          OnceSubscription(subscriber), initialResult, nextPartialResult: nextPartialResult))
    }
  }

  /// Folds each value into the previous result and publishes every result.
  public struct Scan<Upstream: Publisher, Output: Sendable>: Operator {
    public let upstream: Upstream
    /// The initial result, into which the first value is folded. It is not published.
    public let initialResult: Output
    /// Called once for each value, on the thread that sends it.
    public let nextPartialResult: @Sendable (Output, Upstream.Output) -> Output

    /// Creates the publisher that ``Publisher/scan(_:_:)`` returns.
    @inlinable public init(
      upstream: Upstream, initialResult: Output,
      nextPartialResult: @escaping @Sendable (Output, Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: StepSubscriber(subscriber, Scanning(initialResult, nextPartialResult)))
    }
  }

  /// Publishes all values as one array when the upstream finishes.
  public struct Collect<Upstream: Publisher>: Operator {
    public typealias Output = [Upstream.Output]

    public let upstream: Upstream

    /// Creates the publisher that ``Publisher/collect()`` returns.
    @inlinable public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: CollectSubscriber(OnceSubscription(subscriber)))
    }
  }
}

extension Publisher {
  /// Folds all values into one result, which it publishes at the end. The first demand requests all values.
  @inlinable public func reduce<T: Sendable>(
    _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T
  ) -> Publishers.Reduce<Self, T> {
    Publishers.Reduce(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }

  /// Folds each value into the previous result and publishes every result.
  @inlinable public func scan<T: Sendable>(
    _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T
  ) -> Publishers.Scan<Self, T> {
    Publishers.Scan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }

  /// Publishes all values as one array when this publisher finishes. The first demand requests all values.
  @inlinable public func collect() -> Publishers.Collect<Self> { Publishers.Collect(upstream: self) }
}

@usableFromInline struct ReduceSubscriber<Input: Sendable, Downstream: Subscriber>: Subscriber {
  @usableFromInline let subscription: OnceSubscription<Downstream>
  @usableFromInline var result: Downstream.Input
  @usableFromInline let nextPartialResult: @Sendable (Downstream.Input, Input) -> Downstream.Input

  @inlinable init(
    _ subscription: OnceSubscription<Downstream>, _ result: Downstream.Input,
    nextPartialResult: @escaping @Sendable (Downstream.Input, Input) -> Downstream.Input
  ) {
    self.subscription = subscription
    self.result = result
    self.nextPartialResult = nextPartialResult
  }

  @inlinable mutating func receive(subscription upstream: any Subscription) {
    subscription.begin(asking: upstream)
  }
  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    result = nextPartialResult(result, input)
    return .none
  }
  @inlinable mutating func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if let error = completion.error { subscription.fail(error) } else { subscription.succeed(result) }
  }
}

@usableFromInline struct Scanning<Input: Sendable, Output: Sendable>: ValueStep {
  @usableFromInline var result: Output
  @usableFromInline let nextPartialResult: @Sendable (Output, Input) -> Output

  @inlinable
  init(_ initialResult: Output, _ nextPartialResult: @escaping @Sendable (Output, Input) -> Output) {
    result = initialResult
    self.nextPartialResult = nextPartialResult
  }

  @inlinable mutating func step(_ input: Input) -> Output? {
    result = nextPartialResult(result, input)
    return .some(result)
  }
}

@usableFromInline struct CollectSubscriber<Input: Sendable, Downstream: Subscriber>: Subscriber
where Downstream.Input == [Input] {
  @usableFromInline let result: OnceSubscription<Downstream>
  @usableFromInline var values: [Input] = []

  @inlinable init(_ result: OnceSubscription<Downstream>) { self.result = result }

  @inlinable mutating func receive(subscription: any Subscription) { result.begin(asking: subscription) }
  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    values.append(input)
    return .none
  }
  @inlinable mutating func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if let error = completion.error { result.fail(error) } else { result.succeed(values) }
  }
  @inlinable mutating func receive(last input: Input) {
    values.append(input)
    result.succeed(values)
  }
}
