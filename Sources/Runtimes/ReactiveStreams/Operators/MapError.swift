extension Publishers {
  /// Publishes the same values, and the failure turned into another.
  public struct MapError<Upstream: Publisher, Failure: Error>: Operator {
    public let upstream: Upstream
    /// Called at most once per subscriber, on the thread that fails.
    public let transform: @Sendable (Upstream.Failure) -> Failure

    /// ``Publisher/mapError(_:)`` makes it.
    @inlinable
    public init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Failure) -> Failure) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: MapErrorSubscriber(downstream: subscriber, transform: transform))
    }
  }

  /// Publishes the same values, with a failure type that the upstream never uses.
  public struct SetFailureType<Upstream: Publisher, Failure: Error>: Operator
  where Upstream.Failure == Never {
    public let upstream: Upstream

    /// ``Publisher/setFailureType(to:)`` makes it.
    @inlinable public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: SetFailureTypeSubscriber(downstream: subscriber))
    }
  }
}

extension Publisher {
  /// Publishes the same values, and what `transform` makes of the failure.
  @inlinable
  public func mapError<E: Error>(
    _ transform: @escaping @Sendable (Failure) -> E
  ) -> Publishers.MapError<Self, E> {
    Publishers.MapError(upstream: self, transform: transform)
  }
}

@usableFromInline
struct MapErrorSubscriber<Failure: Error, Downstream: Subscriber>: ForwardingSubscriber {
  @usableFromInline var downstream: Downstream
  @usableFromInline let transform: @Sendable (Failure) -> Downstream.Failure

  @inlinable
  init(downstream: Downstream, transform: @escaping @Sendable (Failure) -> Downstream.Failure) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion.mapError(transform))
  }
  @inlinable mutating func receive(last input: Downstream.Input) { downstream.receive(last: input) }
}

extension Publisher where Failure == Never {
  /// Gives a publisher that can not fail the failure type of its neighbours.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
    Publishers.SetFailureType(upstream: self)
  }
}

@usableFromInline
struct SetFailureTypeSubscriber<Downstream: Subscriber>: ForwardingSubscriber {
  @usableFromInline typealias Failure = Never

  @usableFromInline var downstream: Downstream

  @inlinable init(downstream: Downstream) { self.downstream = downstream }

  @inlinable mutating func receive(completion: Subscribers.Completion<Never>) {
    downstream.receive(completion: .finished)
  }
  @inlinable mutating func receive(last input: Downstream.Input) { downstream.receive(last: input) }
}
