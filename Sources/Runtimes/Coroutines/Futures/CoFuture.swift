/// A value that will be there once: a promise's, or a coroutine's.
public final class CoFuture<Value: Sendable>: AnyCoFuture, @unchecked Sendable {
  // Invariant: see AnyCoFuture; read only once it is resolved. Two optionals instead of a result, because those are let go
  // of without looking up more types at run time.
  @usableFromInline @exclusivity(unchecked) var success: Value?

  @inlinable init() { super.init(body: nil) }

  /// The future of a coroutine: one object for both.
  @inlinable init(running body: @escaping @Sendable () throws -> Value) {
    super.init { future in
      let future = unsafeDowncast(future, to: CoFuture<Value>.self)
      do { future.success = try body() } catch { future.failure = error }
    }
  }

  /// Waits for the value without blocking a thread; inside a coroutine.
  ///
  /// - Throws: the future's error, or `CancellationError` if the coroutine that waits is cancelled meanwhile.
  @inlinable public func await() throws -> Value {
    if !isResolved { try wait() }
    if let failure { throw failure }
    return success.unsafelyUnwrapped
  }

  /// Waits for the value from async code. Cancelling that task cancels the future.
  public var value: Value {
    get async throws {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          whenDone { continuation.resume(with: $0) }
        }
      } onCancel: {
        cancel()
      }
    }
  }

  /// Calls back with the result, at once if it is there, else on the thread that brings it.
  @inlinable public func whenDone(_ callback: @escaping @Sendable (Result<Value, any Error>) -> Void) {
    whenResolved {
      let future = unsafeDowncast($0, to: CoFuture<Value>.self)
      callback(Result { try future.await() })
    }
  }

  /// The first call counts.
  @inlinable func complete(_ result: Result<Value, any Error>) {
    resolve {
      switch result {
      case .success(let value): success = value
      case .failure(let error): failure = error
      }
    }
  }
}
