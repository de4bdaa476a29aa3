/// The side that brings a future's value. Let go without an answer, it fails the future instead of leaving it pending.
public final class CoPromise<Value: Sendable>: Sendable {
  public let future: CoFuture<Value>

  @inlinable public init() { future = CoFuture() }

  @inlinable deinit { if !future.isResolved { future.complete(.failure(CoroutineError.dropped)) } }

  /// Any thread; the first call counts.
  @inlinable public func complete(_ result: Result<Value, any Error>) { future.complete(result) }
}
