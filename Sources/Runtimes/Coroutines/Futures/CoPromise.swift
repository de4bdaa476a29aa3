/// The side that brings a future's value. Let go without an answer, it fails the future instead of leaving it pending.
public final class CoPromise<Value: Sendable>: Sendable {
  /// What others wait for; it does not keep the promise alive.
  public let future: CoFuture<Value>

  /// A promise without an answer.
  @inlinable public init() { future = CoFuture() }

  // Through a method that is not generic: a deinit is never specialised, and looks up the types that it names.
  @inlinable deinit { if !future.isResolved { future.fail(CoroutineError.dropped) } }

  /// Any thread; the first call counts.
  @inlinable public func complete(_ result: Result<Value, any Error>) { future.complete(result) }

  /// Answers with a value.
  @inlinable public func succeed(_ value: Value) { complete(.success(value)) }

  /// Answers with an error, which whoever waits gets thrown.
  @inlinable public func fail(_ error: any Error) { complete(.failure(error)) }

  /// Calls the handlers once, in order, if the future is cancelled before it has its answer, so that the work can stop; at
  /// once if it was. On the thread that cancels. Let go of with the answer.
  @inlinable public func onCancel(_ handler: @escaping @Sendable () -> Void) {
    future.setCancelHandler(handler)
  }
}
