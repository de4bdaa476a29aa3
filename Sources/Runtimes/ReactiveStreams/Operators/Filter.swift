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
}

extension Publisher {
  /// Publishes the values that `isIncluded` lets through.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.Filter<Self> {
    Publishers.Filter(upstream: self, isIncluded: isIncluded)
  }
}

@usableFromInline
struct Filtering<Value: Sendable>: ValueStep {
  @usableFromInline let isIncluded: @Sendable (Value) -> Bool

  @inlinable init(_ isIncluded: @escaping @Sendable (Value) -> Bool) { self.isIncluded = isIncluded }

  @inlinable func step(_ input: Value) -> Value? { isIncluded(input) ? input : nil }
}
