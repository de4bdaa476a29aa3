import RuntimeSupport

/// A value that will be there once: a coroutine's, a promise's, or one that is made of other futures'.
///
/// It is held by what will resolve it, not by its callbacks and what is made of it. These get ``CoroutineError/dropped`` if it
/// goes unresolved.
public class CoFuture<Value: Sendable>: AnyCoFuture, @unchecked Sendable {
  // Invariant: see AnyCoFuture.
  /// What it runs, if it is a coroutine, until it has started.
  @usableFromInline @exclusivity(unchecked) final var work: (() throws -> Value)?

  @inlinable init() {
    super.init(operate: Self.operate)
  }

  /// The future of a coroutine: one object for both.
  @inlinable init(running work: sending @escaping () throws -> Value) {
    self.work = work
    super.init(operate: Self.operate)
  }

  /// Starts a coroutine, on this thread and at once; this is the future of what it returns or throws.
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
    // What it captured is released here, on the coroutine. Forced and not `take`n: that is generic, and wraps a closure in a
    // new one.
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
  /// - Throws: the future's error, or `CancellationError` if the coroutine that waits is cancelled meanwhile (where
  ///   SwiftCoroutine throws its `canceled`).
  @inlinable public final func await() throws -> Value {
    if !isResolved { try wait() }
    return try result(of: Value.self).get()
  }

  /// The same for so long at most; then it throws ``CoroutineError/timedOut``, and the future goes on.
  public final func await(timeout: Duration, on timer: CoTimer = .system) throws -> Value {
    try isResolved ? self.await() : Coroutine.withTimeout(timeout, on: timer) { try self.await() }
  }

  /// Waits for the value from async code. Cancelling that task cancels the future.
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

  /// Calls back with the result, at once if it is there, else on the thread that brings it; inside another callback, once
  /// that has returned.
  @inlinable public final func whenComplete(_ callback: sending @escaping (Result<Value, any Error>) -> Void)
  {
    // Called once.
    nonisolated(unsafe) let callback = callback
    whenResolved { callback($0.result(of: Value.self)) }
  }

  /// The same for a value only.
  @inlinable public final func whenSuccess(_ callback: sending @escaping (Value) -> Void) {
    whenComplete { if case .success(let value) = $0 { callback(value) } }
  }

  /// The same for an error only, that of a cancellation, too.
  @inlinable public final func whenFailure(_ callback: sending @escaping (any Error) -> Void) {
    whenComplete { if case .failure(let error) = $0 { callback(error) } }
  }

  /// The value as a function makes it. An error of this future, or of the function, is the new future's.
  ///
  /// The function runs on the thread that brings the result, or here if it is there; inside another callback, once that has
  /// returned: chains and recursions of any length need no stack. So do not block in it. It does not run if the new future is
  /// cancelled before: what must always run stands in a coroutine's `defer`, or in this future's `whenComplete`.
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

/// A future whose result is given from outside: the first answer counts, others do nothing. Any thread.
///
/// Answer each. One that is dropped fails its callbacks and what was made of it, but those that await the promise itself hold it,
/// and wait until they are cancelled, as with SwiftCoroutine. Where a callback may be dropped, await that instead, which throws
/// then: `CoFuture { try Coroutine.await { callback in … } }`.
public final class CoPromise<Value: Sendable>: CoFuture<Value>, @unchecked Sendable {
  // Invariant: see AnyCoFuture.

  /// A promise without an answer.
  @inlinable public override init() { super.init() }

  /// Answers with a value.
  @inlinable public func success(_ value: Value) { complete(.success(value)) }

  /// Answers with an error, which those that wait throw.
  @inlinable public func fail(_ error: any Error) { reject(error) }

  /// Answers with a value or an error.
  @inlinable public func complete(with result: Result<Value, some Error>) {
    complete(result.mapError { $0 as any Error })
  }
}
