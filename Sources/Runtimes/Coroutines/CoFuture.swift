import Synchronization

/// A value that will be there once.
public final class CoFuture<Value: Sendable>: Sendable {
  @usableFromInline enum State {
    case pending([@Sendable (Result<Value, any Error>) -> Void])
    case done(Result<Value, any Error>)
  }

  @usableFromInline let state = Mutex(State.pending([]))

  @inlinable init() {}

  /// Waits for the value without blocking a thread; inside a coroutine.
  @inlinable public func await() throws -> Value {
    if case .done(let result) = state.withLock({ $0 }) { return try result.get() }
    return try Coroutine.await {
      (completion: @escaping @Sendable (Result<Value, any Error>) -> Void) -> Void in
      whenDone(completion)
    }
  }

  /// Waits for the value from async code.
  public var value: Value {
    get async throws {
      try await withCheckedThrowingContinuation { continuation in whenDone { continuation.resume(with: $0) } }
    }
  }

  /// Calls back with the result, at once if it is there, else on the thread that brings it.
  @inlinable public func whenDone(_ callback: @escaping @Sendable (Result<Value, any Error>) -> Void) {
    let result: Result<Value, any Error>? = state.withLock { state in
      switch state {
      case .done(let result): return result
      case .pending(var callbacks):
        callbacks.append(callback)
        state = .pending(callbacks)
        return nil
      }
    }
    if let result { callback(result) }
  }

  /// The first call counts.
  @inlinable func complete(_ result: Result<Value, any Error>) {
    let callbacks: [@Sendable (Result<Value, any Error>) -> Void] = state.withLock { state in
      guard case .pending(let callbacks) = state else { return [] }
      state = .done(result)
      return callbacks
    }
    for callback in callbacks { callback(result) }
  }
}

/// The side that brings the value. Let go without an answer, it fails the future instead of leaving it pending.
public final class CoPromise<Value: Sendable>: Sendable {
  public let future = CoFuture<Value>()

  public init() {}

  deinit { future.complete(.failure(CoroutineError.dropped)) }

  /// The first call counts.
  public func complete(_ result: Result<Value, any Error>) { future.complete(result) }
}
