extension Publishers {
  /// Publishes the values that a predicate lets through.
  public struct Filter<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// What is subscribed to, anew for each subscriber.
    public let upstream: Upstream
    /// Called once for each value, on the thread that sends it.
    public let isIncluded: @Sendable (Output) -> Bool

    /// ``Publisher/filter(_:)`` makes it.
    @inlinable
    public init(upstream: Upstream, isIncluded: @escaping @Sendable (Output) -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: FilterSubscriber(downstream: subscriber, isIncluded: isIncluded))
    }
  }
}

extension Publisher {
  /// Publishes the values that `isIncluded` lets through.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.Filter<Self> {
    Publishers.Filter(upstream: self, isIncluded: isIncluded)
  }
}

/// Asks for one more in place of each value it holds back.
@usableFromInline
struct FilterSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline var downstream: Downstream
  @usableFromInline let isIncluded: @Sendable (Input) -> Bool

  @inlinable
  init(downstream: Downstream, isIncluded: @escaping @Sendable (Input) -> Bool) {
    self.downstream = downstream
    self.isIncluded = isIncluded
  }

  @inlinable mutating func receive(subscription: any Subscription) {
    downstream.receive(subscription: subscription)
  }
  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    isIncluded(input) ? downstream.receive(input) : .max(1)
  }
  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
  @inlinable mutating func receive(last input: Input) {
    if isIncluded(input) {
      downstream.receive(last: input)
    } else {
      downstream.receive(completion: .finished)
    }
  }
}

extension Publishers {
  /// Publishes the values that differ from the one before.
  public struct RemoveDuplicates<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// What is subscribed to, anew for each subscriber.
    public let upstream: Upstream
    /// Whether two values in a row are the same; the first is the last that was published.
    public let predicate: @Sendable (Output, Output) -> Bool

    /// ``Publisher/removeDuplicates(by:)`` makes it.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping @Sendable (Output, Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(
        subscriber: RemoveDuplicatesSubscriber(downstream: subscriber, predicate: predicate))
    }
  }
}

extension Publisher {
  /// Publishes the values that `predicate` does not call the same as the one before.
  @inlinable
  public func removeDuplicates(
    by predicate: @escaping @Sendable (Output, Output) -> Bool
  ) -> Publishers.RemoveDuplicates<Self> {
    Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
  }
}

extension Publisher where Output: Equatable {
  /// Publishes the values that differ from the one before.
  @inlinable
  public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> { removeDuplicates { $0 == $1 } }
}

/// Asks for one more in place of each value it holds back.
@usableFromInline
struct RemoveDuplicatesSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline var downstream: Downstream
  @usableFromInline let predicate: @Sendable (Input, Input) -> Bool
  @usableFromInline var last: Input?

  @inlinable
  init(downstream: Downstream, predicate: @escaping @Sendable (Input, Input) -> Bool) {
    self.downstream = downstream
    self.predicate = predicate
  }

  @inlinable mutating func receive(subscription: any Subscription) {
    downstream.receive(subscription: subscription)
  }
  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    if let last, predicate(last, input) { return .max(1) }
    last = input
    return downstream.receive(input)
  }
  @inlinable mutating func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}
