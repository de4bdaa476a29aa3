extension Publishers {
  /// Publishes the values that a predicate lets through.
  public typealias Filter<Upstream: Publisher> = Steps<Upstream, Filtering<Upstream.Output>>

  /// Publishes the values that differ from the one before.
  public typealias RemoveDuplicates<Upstream: Publisher> = Steps<
    Upstream, RemovingDuplicates<Upstream.Output>
  >
}

extension Publisher {
  /// Publishes the values that `isIncluded` lets through.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> Publishers.Filter<Self> {
    Publishers.Filter(upstream: self, step: Filtering(isIncluded))
  }

  /// Publishes the values that `predicate` does not call the same as the one before.
  @inlinable
  public func removeDuplicates(
    by predicate: @escaping @Sendable (Output, Output) -> Bool
  ) -> Publishers.RemoveDuplicates<Self> {
    Publishers.RemoveDuplicates(upstream: self, step: RemovingDuplicates(predicate))
  }
}

/// The step of ``Publishers/Filter``.
public struct Filtering<Value: Sendable>: ValueStep {
  @usableFromInline let isIncluded: @Sendable (Value) -> Bool

  @inlinable init(_ isIncluded: @escaping @Sendable (Value) -> Bool) { self.isIncluded = isIncluded }

  @inlinable public func step(_ input: Value) -> Value? { isIncluded(input) ? input : nil }
}

extension Publisher where Output: Equatable {
  /// Publishes the values that differ from the one before.
  @inlinable
  public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> { removeDuplicates { $0 == $1 } }
}

/// The step of ``Publishers/RemoveDuplicates``.
public struct RemovingDuplicates<Value: Sendable>: ValueStep {
  @usableFromInline let predicate: @Sendable (Value, Value) -> Bool
  @usableFromInline var last: Value?

  @inlinable init(_ predicate: @escaping @Sendable (Value, Value) -> Bool) { self.predicate = predicate }

  @inlinable public mutating func step(_ input: Value) -> Value? {
    if let last, predicate(last, input) { return nil }
    last = input
    return input
  }
}
