import RuntimeSupport

/// A value that will be there once: from a coroutine, a promise, or other futures.
///
/// Its producer holds it, not its callbacks or the futures made from it. These fail with ``CoroutineError/dropped`` if it is
/// released unresolved.
public class CoFuture<Value: Sendable>: AnyCoFuture, @unchecked Sendable {
  // Invariant: see AnyCoFuture.
  /// A coroutine's work, until it has started.
  @usableFromInline @exclusivity(unchecked) final var work: (() throws -> Value)?

  @inlinable init() { super.init(operate: Self.operate) }

  /// The future of a coroutine: one object for both.
  @inlinable init(running work: sending @escaping () throws -> Value) {
    self.work = work
    super.init(operate: Self.operate)
  }

  /// Starts a coroutine, on this thread and at once; this is the future of its result.
  @inlinable public convenience init(task: sending @escaping () throws -> Value) {
    self.init(running: task)
    startHere(name: nil, stackByteCount: nil)
  }

  /// A future that is resolved.
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
    // The work's captures are released here, on the coroutine. Not `take()`: that is generic, and wraps the closure in a new
    // one.
    let work = work!
    self.work = nil
    do { write(try work()) } catch { failure = error }
  }

  final override func dropWork() { work = nil }

  /// Resolves it with a value; once, by its producer.
  @inlinable final func write(_ value: Value) {
    hasValue = true
    storage.put(value)
  }

  /// Waits for the value without blocking a thread; inside a coroutine, unless it is there.
  ///
  /// - Throws: the future's error, or `CancellationError` if the waiting coroutine is cancelled meanwhile (where SwiftCoroutine
  ///   throws its `canceled`).
  @inlinable public final func await() throws -> Value {
    if !isResolved { try wait() }
    return try result(of: Value.self).get()
  }

  /// Waits at most so long; then it throws ``CoroutineError/timedOut``, and the future goes on.
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

  /// The value or the error; nil until there is one.
  @inlinable public final var result: Result<Value, any Error>? { isResolved ? result(of: Value.self) : nil }

  /// Calls back with the result, at once if it is there, else on the thread that brings it. Inside another callback, it calls
  /// after that has returned.
  @inlinable public final func whenComplete(_ callback: sending @escaping (Result<Value, any Error>) -> Void)
  {
    // Called once.
    nonisolated(unsafe) let callback = callback
    whenResolved { callback($0.result(of: Value.self)) }
  }

  /// Calls back with a value only.
  @inlinable public final func whenSuccess(_ callback: sending @escaping (Value) -> Void) {
    whenComplete { if case .success(let value) = $0 { callback(value) } }
  }

  /// Calls back with an error only, including a cancellation.
  @inlinable public final func whenFailure(_ callback: sending @escaping (any Error) -> Void) {
    whenComplete { if case .failure(let error) = $0 { callback(error) } }
  }

  /// The transformed value. An error of this future, or of the function, is the new future's.
  ///
  /// The function runs on the thread that brings the result, or here if it is there. Inside another callback, it runs after
  /// that has returned, so chains and recursions of any length need no stack. Do not block in it. It does not run if the new
  /// future is cancelled before: put cleanup into a coroutine's `defer`, or this future's `whenComplete`.
  @inlinable public final func map<Mapped: Sendable>(
    _ transform: sending @escaping (Value) throws -> Mapped
  ) -> CoFuture<Mapped> {
    let mapped = CoFuture<Mapped>()
    // Called once.
    nonisolated(unsafe) let transform = transform
    mapped.follow(self) { source in
      if mapped.isResolved { return }
      mapped.complete(Result { try transform(source.result(of: Value.self).get()) })
    }
    return mapped
  }

  /// The first call counts.
  @inlinable final func complete(_ result: Result<Value, any Error>) {
    resolve {
      switch result {
      case .success(let value): write(value)
      case .failure(let error): failure = error
      }
    }
  }
}

/// A future whose result comes from outside: the first answer counts, others do nothing. Any thread.
///
/// Answer every promise. One that is released without an answer fails its callbacks and the futures made from it; but awaiting
/// the promise itself holds it, and waits until it is cancelled, as with SwiftCoroutine. If a callback may be dropped, await
/// that instead, which throws then: `CoFuture { try Coroutine.await { callback in … } }`.
public final class CoPromise<Value: Sendable>: CoFuture<Value>, @unchecked Sendable {
  // Invariant: see AnyCoFuture.

  /// A promise without an answer.
  @inlinable public override init() { super.init() }

  /// Answers with a value.
  @inlinable public func success(_ value: Value) { complete(.success(value)) }

  /// Answers with an error, which the waiters throw.
  @inlinable public func fail(_ error: any Error) { reject(error) }

  /// Answers with a value or an error.
  @inlinable public func complete(with result: Result<Value, some Error>) {
    complete(result.mapError { $0 as any Error })
  }
}
