import RuntimeSupport

/// A value that will be there once: a promise's, or a coroutine's.
public final class CoFuture<Value: Sendable>: AnyCoFuture, @unchecked Sendable {
  // Invariant: see AnyCoFuture.
  /// What it runs, if it is a coroutine, until it has started.
  @usableFromInline @exclusivity(unchecked) var work: (@Sendable () throws -> Value)?

  @inlinable init() {
    super.init(operate: Self.operate)
  }

  /// The future of a coroutine: one object for both.
  @inlinable init(running work: @escaping @Sendable () throws -> Value) {
    self.work = work
    super.init(operate: Self.operate)
  }

  @inlinable static var operate: @Sendable (Operation, AnyCoFuture) -> Void {
    { operation, future in
      let future = unsafeDowncast(future, to: CoFuture<Value>.self)
      switch operation {
      case .run: future.runWork()
      case .destroyValue: future.storage.destroy(Value.self)
      }
    }
  }

  @inlinable @inline(__always) func runWork() {
    // What it captured is let go of here, on the coroutine. Forced and not `take`n: that is generic, and wraps a closure
    // in a new one.
    let work = work!
    self.work = nil
    do { write(try work()) } catch { failure = error }
  }

  override func dropWork() { work = nil }

  /// Resolves it with a value; once, by its producer.
  @inlinable func write(_ value: Value) {
    hasValue = true
    storage.put(value)
  }

  /// The value of one that has one.
  @inlinable var storedValue: Value { storage.load(as: Value.self) }

  /// Waits for the value without blocking a thread; inside a coroutine.
  ///
  /// - Throws: the future's error, or `CancellationError` if the coroutine that waits is cancelled meanwhile.
  @inlinable public func await(file: StaticString = #fileID, line: UInt = #line) throws -> Value {
    if !isResolved { try wait(at: AwaitSite("a future", file, line)) }
    if let failure { throw failure }
    return storedValue
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

  /// Calls back with the result, at once if it is there, else on the thread that brings it; inside another callback, once
  /// that has returned.
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
      case .success(let value): write(value)
      case .failure(let error): failure = error
      }
    }
  }
}

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

  /// Calls the handlers once, in order, if the future is cancelled before it has its answer: on the thread that cancels, at
  /// once if that has happened.
  @inlinable public func onCancel(_ handler: @escaping @Sendable () -> Void) {
    future.setCancelHandler(handler)
  }
}
