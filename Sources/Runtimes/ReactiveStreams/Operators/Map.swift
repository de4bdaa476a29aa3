extension Publishers {
  /// Publishes the result of a closure for each value.
  public struct Map<Upstream: Publisher, Output: Sendable>: Operator {
    public let upstream: Upstream
    /// Called once for each value, on the thread that sends it.
    public let transform: @Sendable (Upstream.Output) -> Output

    /// Creates the publisher that ``Publisher/map(_:)`` returns.
    @inlinable public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: StepSubscriber(subscriber, Mapping(transform)))
    }
  }

  /// Publishes the result of a closure for each value. An error of the closure ends the stream.
  public struct TryMap<Upstream: Publisher, Output: Sendable>: Operator {
    public typealias Failure = any Error

    public let upstream: Upstream
    /// Called once for each value, on the thread that sends it. An error becomes the failure.
    public let transform: @Sendable (Upstream.Output) throws -> Output

    /// Creates the publisher that ``Publisher/tryMap(_:)`` returns.
    @inlinable
    public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) throws -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.receive(
        subscriber: TryMapSubscriber<Upstream.Output, Upstream.Failure, S>(
          downstream: subscriber, transform: transform))
    }
  }

  /// Publishes the result of a closure for each value, unless the result is `nil`.
  public struct CompactMap<Upstream: Publisher, Output: Sendable>: Operator {
    public let upstream: Upstream
    /// Called once for each value, on the thread that sends it.
    public let transform: @Sendable (Upstream.Output) -> Output?

    /// Creates the publisher that ``Publisher/compactMap(_:)`` returns.
    @inlinable public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Output) -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: StepSubscriber(subscriber, CompactMapping(transform)))
    }
  }
}

extension Publisher {
  /// Publishes the result of `transform` for each value.
  @inlinable
  public func map<T: Sendable>(_ transform: @escaping @Sendable (Output) -> T) -> Publishers.Map<Self, T> {
    Publishers.Map(upstream: self, transform: transform)
  }

  /// Publishes the result of `transform` for each value. An error cancels this publisher and becomes the failure.
  @inlinable public func tryMap<T: Sendable>(
    _ transform: @escaping @Sendable (Output) throws -> T
  ) -> Publishers.TryMap<Self, T> {
    Publishers.TryMap(upstream: self, transform: transform)
  }

  /// Publishes the result of `transform` for each value, unless the result is `nil`.
  @inlinable public func compactMap<T: Sendable>(
    _ transform: @escaping @Sendable (Output) -> T?
  ) -> Publishers.CompactMap<Self, T> {
    Publishers.CompactMap(upstream: self, transform: transform)
  }
}

@usableFromInline struct Mapping<Input: Sendable, Output: Sendable>: ValueStep {
  @usableFromInline let transform: @Sendable (Input) -> Output

  @inlinable init(_ transform: @escaping @Sendable (Input) -> Output) { self.transform = transform }

  @inlinable func step(_ input: Input) -> Output? { .some(transform(input)) }
}

@usableFromInline struct TryMapSubscriber<Input: Sendable, Failure: Error, Downstream: Subscriber>: Subscriber
where Downstream.Failure == any Error {
  @usableFromInline var downstream: Downstream
  @usableFromInline let transform: @Sendable (Input) throws -> Downstream.Input
  @usableFromInline var upstream: (any Subscription)?
  @usableFromInline var hasFailed = false

  @inlinable init(downstream: Downstream, transform: @escaping @Sendable (Input) throws -> Downstream.Input) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable mutating func receive(subscription: any Subscription) {
    if upstream == nil { upstream = subscription }
    downstream.receive(subscription: subscription)
  }
  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    guard let output = output(of: input, isLast: false) else { return .none }
    return downstream.receive(output)
  }
  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    if !hasFailed { downstream.receive(completion: completion.mapError { $0 }) }
  }
  @inlinable mutating func receive(last input: Input) {
    if let output = output(of: input, isLast: true) { downstream.receive(last: output) }
  }

  /// The result for a value, or `nil` if the closure throws or has thrown before.
  @inlinable mutating func output(of input: Input, isLast: Bool) -> Downstream.Input? {
    if hasFailed { return nil }
    do {
      return .some(try transform(input))
    } catch {
      hasFailed = true
      let upstream = upstream.take()
      if !isLast { upstream?.cancel() }
      downstream.receive(completion: .failure(error))
      return nil
    }
  }
}

@usableFromInline struct CompactMapping<Input: Sendable, Output: Sendable>: ValueStep {
  @usableFromInline let transform: @Sendable (Input) -> Output?

  @inlinable init(_ transform: @escaping @Sendable (Input) -> Output?) { self.transform = transform }

  @inlinable func step(_ input: Input) -> Output? { transform(input) }
}

extension Publishers {
  /// Publishes the same values and transforms the failure.
  public struct MapError<Upstream: Publisher, Failure: Error>: Operator {
    public let upstream: Upstream
    /// Called at most once per subscriber, on the thread that sends the failure.
    public let transform: @Sendable (Upstream.Failure) -> Failure

    /// Creates the publisher that ``Publisher/mapError(_:)`` returns.
    @inlinable public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Failure) -> Failure) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: MapErrorSubscriber(downstream: subscriber, transform: transform))
    }
  }

  /// Publishes the values of an upstream that cannot fail, with another failure type.
  public struct SetFailureType<Upstream: Publisher, Failure: Error>: Operator
  where Upstream.Failure == Never {
    public let upstream: Upstream

    /// Creates the publisher that ``Publisher/setFailureType(to:)`` returns.
    @inlinable public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: SetFailureTypeSubscriber(downstream: subscriber))
    }
  }
}

extension Publisher {
  /// Publishes the same values and replaces the failure with the result of `transform`.
  @inlinable public func mapError<E: Error>(
    _ transform: @escaping @Sendable (Failure) -> E
  ) -> Publishers.MapError<Self, E> {
    Publishers.MapError(upstream: self, transform: transform)
  }
}

@usableFromInline struct MapErrorSubscriber<Failure: Error, Downstream: Subscriber>: ForwardingSubscriber {
  @usableFromInline var downstream: Downstream
  @usableFromInline let transform: @Sendable (Failure) -> Downstream.Failure

  @inlinable init(downstream: Downstream, transform: @escaping @Sendable (Failure) -> Downstream.Failure) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion.mapError(transform))
  }
}

extension Publisher where Failure == Never {
  /// Changes the failure type of a publisher that cannot fail, so that it can be combined with other publishers.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
    Publishers.SetFailureType(upstream: self)
  }
}

@usableFromInline struct SetFailureTypeSubscriber<Downstream: Subscriber>: ForwardingSubscriber {
  @usableFromInline typealias Failure = Never

  @usableFromInline var downstream: Downstream

  @inlinable init(downstream: Downstream) { self.downstream = downstream }

  @inlinable mutating func receive(completion: Subscribers.Completion<Never>) {
    downstream.receive(completion: .finished)
  }
}

extension Publishers {
  /// Publishes the values that a predicate accepts.
  public struct Filter<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// Called once for each value, on the thread that sends it.
    public let isIncluded: @Sendable (Output) -> Bool

    /// Creates the publisher that ``Publisher/filter(_:)`` returns.
    @inlinable public init(upstream: Upstream, isIncluded: @escaping @Sendable (Output) -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: StepSubscriber(subscriber, Filtering(isIncluded)))
    }
  }
}

extension Publisher {
  /// Publishes the values that `isIncluded` accepts.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.Filter<Self> {
    Publishers.Filter(upstream: self, isIncluded: isIncluded)
  }
}

@usableFromInline struct Filtering<Value: Sendable>: ValueStep {
  @usableFromInline let isIncluded: @Sendable (Value) -> Bool

  @inlinable init(_ isIncluded: @escaping @Sendable (Value) -> Bool) { self.isIncluded = isIncluded }

  @inlinable func step(_ input: Value) -> Value? { isIncluded(input) ? input : nil }
}
