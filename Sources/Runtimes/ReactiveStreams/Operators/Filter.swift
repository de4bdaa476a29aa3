extension Publishers {
  /// Publishes the values that a predicate lets through.
  public struct Filter<Upstream: Publisher>: Operator {
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
      upstream.receive(subscriber: StepSubscriber(subscriber, Filtering(isIncluded)))
    }
  }

  /// Publishes the values that differ from the one before.
  public struct RemoveDuplicates<Upstream: Publisher>: Operator {
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
      upstream.receive(subscriber: StepSubscriber(subscriber, RemovingDuplicates(predicate)))
    }
  }
}

extension Publisher {
  /// Publishes the values that `isIncluded` lets through.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.Filter<Self> {
    Publishers.Filter(upstream: self, isIncluded: isIncluded)
  }

  /// Publishes the values that `predicate` does not call the same as the one before.
  @inlinable
  public func removeDuplicates(
    by predicate: @escaping @Sendable (Output, Output) -> Bool
  ) -> Publishers.RemoveDuplicates<Self> {
    Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
  }
}

@usableFromInline
struct Filtering<Value: Sendable>: ValueStep {
  @usableFromInline let isIncluded: @Sendable (Value) -> Bool

  @inlinable init(_ isIncluded: @escaping @Sendable (Value) -> Bool) { self.isIncluded = isIncluded }

  @inlinable func step(_ input: Value) -> Value? { isIncluded(input) ? input : nil }
}

extension Publisher where Output: Equatable {
  /// Publishes the values that differ from the one before.
  @inlinable
  public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> { removeDuplicates { $0 == $1 } }
}

@usableFromInline
struct RemovingDuplicates<Value: Sendable>: ValueStep {
  @usableFromInline let predicate: @Sendable (Value, Value) -> Bool
  @usableFromInline var last: Value?

  @inlinable init(_ predicate: @escaping @Sendable (Value, Value) -> Bool) { self.predicate = predicate }

  @inlinable mutating func step(_ input: Value) -> Value? {
    if let last, predicate(last, input) { return nil }
    last = input
    return input
  }
}
