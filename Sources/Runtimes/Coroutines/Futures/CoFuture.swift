import RuntimeSupport

/// A value that will be known later: the result of a coroutine, a promise, or other futures.
///
/// Only the producer keeps a future alive; its callbacks and the futures made from it do not. If the future is released
/// unresolved, these fail with ``CoroutineError/dropped``.
public class CoFuture<Value: Sendable>: AnyCoFuture, @unchecked Sendable {
  // Invariant: `work` is set in `init`. Only the coroutine takes it, or the thread that ends an unstarted coroutine.
  /// The work of a coroutine that has not started.
  @usableFromInline @exclusivity(unchecked) final var work: (() throws -> Value)?

  @inlinable init() { super.init(operate: Self.operate) }

  /// Makes the future of a coroutine. The same object holds the coroutine's work.
  @inlinable init(running work: sending @escaping () throws -> Value) {
    self.work = work
    super.init(operate: Self.operate)
  }

  /// Starts a coroutine on this thread immediately, and makes the future of its result.
  @inlinable public convenience init(task: sending @escaping () throws -> Value) {
    self.init(running: task)
    startHere(name: nil, stackByteCount: nil)
  }

  /// Makes a resolved future with this result.
  @inlinable public convenience init(result: Result<Value, any Error>) {
    self.init()
    complete(result)
  }

  @inlinable static var operate: @Sendable (Operation, AnyCoFuture) -> Void {
    { operation, future in
      switch operation {
      case .run: unsafeDowncast(future, to: CoFuture<Value>.self).runWork()
      case .destroyValue: future.storage.destroy(Value.self)
      }
    }
  }

  @inlinable @inline(__always) final func runWork() {
    // Releases the captures on the coroutine. `take()` is generic and would wrap the closure in a new one.
    let work = work!
    self.work = nil
    do { write(try work()) } catch { failure = error }
  }

  final override func dropWork() { work = nil }

  @inlinable final func write(_ value: Value) {
    hasValue = true
    storage.put(value)
  }

  /// Waits for the value without blocking a thread. Call it inside a coroutine, unless the future is resolved.
  ///
  /// - Throws: the future's error, or `CancellationError` if the waiting coroutine is cancelled during the wait (the
  ///   library SwiftCoroutine throws its own error `canceled`).
  @inlinable public final func await() throws -> Value {
    if !isResolved { try wait() }
    return try result(of: Value.self).get()
  }

  /// Waits at most for `timeout`, then throws ``CoroutineError/timedOut``. The timeout does not cancel the future.
  public final func await(timeout: Duration, on timer: CoTimer = .system) throws -> Value {
    try isResolved ? self.await() : Coroutine.withTimeout(timeout, on: timer) { try self.await() }
  }

  /// Waits for the value from async code. Cancelling the waiting task cancels the future.
  public final var value: Value {
    get async throws {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          whenComplete { continuation.resume(with: $0) }
        }
      } onCancel: {
        cancel()
      }
    }
  }

  /// The value or the error. `nil` until the future is resolved.
  @inlinable public final var result: Result<Value, any Error>? { isResolved ? result(of: Value.self) : nil }

  /// Calls back with the result: immediately if the future is resolved, otherwise on the thread that resolves it. Inside
  /// another callback, the call comes after that callback has returned.
  @inlinable public final func whenComplete(_ callback: sending @escaping (Result<Value, any Error>) -> Void)
  {
    // Invariant: `callback` is called only once.
    nonisolated(unsafe) let callback = callback
    whenResolved { callback($0.result(of: Value.self)) }
  }

  /// Calls back with the value if the future succeeds. If it fails, there is no call.
  @inlinable public final func whenSuccess(_ callback: sending @escaping (Value) -> Void) {
    whenComplete { if case .success(let value) = $0 { callback(value) } }
  }

  /// Calls back with the error if the future fails, also with a `CancellationError`. If it succeeds, there is no call.
  @inlinable public final func whenFailure(_ callback: sending @escaping (any Error) -> Void) {
    whenComplete { if case .failure(let error) = $0 { callback(error) } }
  }

  /// A future of the transformed value. It fails with the error of this future or of the function.
  ///
  /// The function runs on the thread that resolves this future, or immediately if it is resolved. Inside a callback, it runs
  /// after the callback has returned, so a chain of any length needs no stack. The function must not block. It does not run if
  /// the new future is cancelled first: put cleanup into a coroutine's `defer` or this future's `whenComplete`.
  @inlinable public final func map<Mapped: Sendable>(
    _ transform: sending @escaping (Value) throws -> Mapped
  ) -> CoFuture<Mapped> {
    let mapped = CoFuture<Mapped>()
    // Invariant: `transform` is called only once.
    nonisolated(unsafe) let transform = transform
    mapped.follow(self) { source in
      if mapped.isResolved { return }
      mapped.complete(Result { try transform(source.result(of: Value.self).get()) })
    }
    return mapped
  }

  @inlinable final func complete(_ result: Result<Value, any Error>) {
    resolve {
      switch result {
      case .success(let value): write(value)
      case .failure(let error): failure = error
      }
    }
  }
}

/// A future that other code resolves. The first answer counts, and later ones do nothing. Any thread may answer.
///
/// Answer every promise. If a promise is released without an answer, its callbacks and the futures made from it fail. But a
/// coroutine that awaits the promise itself retains it, and waits until the coroutine is cancelled, as in the library
/// SwiftCoroutine. If a callback may never be called, await it directly, which then throws:
/// `CoFuture { try Coroutine.await { callback in … } }`.
public final class CoPromise<Value: Sendable>: CoFuture<Value>, @unchecked Sendable {
  // Invariant: this class adds no state to `CoFuture`.

  /// Makes a promise without an answer.
  @inlinable public override init() { super.init() }

  /// Resolves the promise with a value.
  @inlinable public func success(_ value: Value) { complete(.success(value)) }

  /// Resolves the promise with an error, which the waiters throw.
  @inlinable public func fail(_ error: any Error) { reject(error) }

  /// Resolves the promise with a value or an error.
  @inlinable public func complete(with result: Result<Value, some Error>) {
    complete(result.mapError { $0 as any Error })
  }
}
