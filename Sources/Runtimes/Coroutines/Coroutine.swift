/// Functions that run on their own stack, so that they can suspend and later continue, perhaps on another thread.
///
/// A coroutine runs on its scheduler or, without one, on the thread that starts or resumes it. If another coroutine runs on
/// that thread, the first waits until the other suspends or ends. Do not block a thread inside a coroutine, and do not suspend
/// inside a lock or a task-local value, because both belong to the thread.
///
/// Outside of a coroutine, suspending functions throw ``CoroutineError/calledOutsideCoroutine``. Those that cannot throw end
/// the process with a message.
public enum Coroutine {
  /// Starts a coroutine and returns its future, whose `cancel` cancels the coroutine.
  ///
  /// `CoFuture { }`, and `coroutineFuture { }` and `startCoroutine { }` of a scheduler, start coroutines with default options.
  ///
  /// - Parameters:
  ///   - scheduler: where the coroutine runs. `nil` means the thread that starts or resumes it.
  ///   - name: the coroutine's name in the message about a stack overflow.
  ///   - stackByteCount: the size of the stack, rounded up to pages. `nil` means 128 KiB. A page takes memory once it is
  ///     touched. A stack overflow ends the process with a message.
  ///   - body: the work. Its value or error is the future's result.
  @discardableResult @inlinable public static func start<Value: Sendable>(
    on scheduler: (any CoroutineScheduler)? = nil, name: String? = nil, stackByteCount: Int? = nil,
    _ body: consuming @escaping @Sendable () throws -> Value
  ) -> CoFuture<Value> {
    let coroutine = CoFuture(running: body)
    if let scheduler {
      coroutine.start(on: scheduler, name: name, stackByteCount: stackByteCount)
    } else {
      coroutine.startHere(name: name, stackByteCount: stackByteCount)
    }
    return coroutine
  }

  /// Whether a coroutine runs on this thread.
  public static var isInsideCoroutine: Bool { FiberPointer.currentIfAny != nil }

  /// Lets other ready coroutines run first: those of its scheduler or, without one, of its thread. Call it inside a coroutine.
  public static func yield() { FiberPointer.current(for: "yield").leave(.yielded) }
}

/// What can go wrong with a coroutine or a wait.
public enum CoroutineError: Error, Sendable, Hashable {
  /// A suspending function was called outside of a coroutine.
  case calledOutsideCoroutine
  /// A callback or a scheduler's task was released without being called, so there can be no result.
  case dropped
  /// The wait took longer than its time limit.
  case timedOut
  /// The system gives no memory or mapping for another stack, so the coroutine did not start. On Linux before 6.13, the default
  /// `vm.max_map_count` allows about 32 000 coroutines at a time.
  case outOfStacks
}

extension Coroutine {
  // Inlined, because otherwise each call would retain and release every value that `start` captures.
  /// Suspends until the callback is called, on any thread, and returns its argument. Call it inside a coroutine.
  ///
  ///     let data = try Coroutine.await { callback in load(url, completion: callback) }
  ///
  /// Only the first call counts. If the callback is released without being called, `await` throws ``CoroutineError/dropped``.
  /// If the coroutine is cancelled during the wait, `await` throws `CancellationError` and ignores later calls. To stop the
  /// work as well, use `withContinuation`. `start` itself must not suspend.
  @inlinable @inline(__always) public static func await<Value: Sendable>(
    _ start: (@escaping @Sendable (Value) -> Void) -> Void
  ) throws -> Value {
    try withContinuation { continuation in start { continuation.resume(returning: $0) } }
  }

  /// Awaits a callback with two arguments.
  @inlinable @inline(__always) public static func await<First: Sendable, Second: Sendable>(
    _ start: (@escaping @Sendable (First, Second) -> Void) -> Void
  ) throws -> (First, Second) {
    try withContinuation { continuation in start { continuation.resume(returning: ($0, $1)) } }
  }

  /// Awaits a callback with three arguments.
  @inlinable @inline(__always) public static func await<First: Sendable, Second: Sendable, Third: Sendable>(
    _ start: (@escaping @Sendable (First, Second, Third) -> Void) -> Void
  ) throws -> (First, Second, Third) {
    try withContinuation { continuation in start { continuation.resume(returning: ($0, $1, $2)) } }
  }

  /// Suspends until the continuation is resumed with a value or an error. Needs one allocation less than `await`.
  @inlinable @inline(__always) public static func withContinuation<Value: Sendable>(
    of type: Value.Type = Value.self, _ start: (CoContinuation<Value>) -> Void
  ) throws -> Value {
    let suspension = try Suspension(staysForResult: false)
    var slot: Result<Value, any Error>?
    return try withUnsafeMutablePointer(to: &slot) { slot in
      start(CoContinuation(Answer(suspension, slot)))
      if suspension.park() { throw CancellationError() }
      guard let result = slot.pointee else { throw CoroutineError.dropped }
      return try result.get()
    }
  }

  /// Awaits work that can be stopped through the handle that `start` returns. If the coroutine is cancelled during the wait,
  /// `cancel` is called with the handle, and the wait still lasts until the work has a result or an error.
  @inlinable @inline(__always) public static func withContinuation<Value: Sendable, Handle>(
    of type: Value.Type = Value.self, cancel: (Handle) -> Void, _ start: (CoContinuation<Value>) -> Handle
  ) throws -> Value {
    let suspension = try Suspension(staysForResult: true)
    var slot: Result<Value, any Error>?
    return try withUnsafeMutablePointer(to: &slot) { slot in
      let handle = start(CoContinuation(Answer(suspension, slot)))
      if suspension.park() {
        cancel(handle)
        suspension.parkAgain()
      }
      guard let result = slot.pointee else { throw CoroutineError.dropped }
      return try result.get()
    }
  }
}

/// Resumes a coroutine from one wait. Any thread may call `resume`, and only the first call counts. If the continuation is
/// released without a call, the wait throws ``CoroutineError/dropped``.
public struct CoContinuation<Value: Sendable>: Sendable {
  @usableFromInline let answer: Answer

  @inlinable init(_ answer: Answer) { self.answer = answer }

  /// Ends the wait with a value or an error.
  @inlinable public func resume(with result: Result<Value, any Error>) {
    guard let claim = answer.suspension.claim() else { return }
    answer.slot.assumingMemoryBound(to: Result<Value, any Error>?.self).pointee = result
    answer.suspension.finish(claim)
  }

  /// Ends the wait with a value.
  @inlinable public func resume(returning value: Value) { resume(with: .success(value)) }

  /// Ends the wait, which throws the error.
  @inlinable public func resume(throwing error: any Error) { resume(with: .failure(error)) }
}

extension CoContinuation<Void> {
  /// Ends a wait without a value.
  @inlinable public func resume() { resume(with: .success(())) }
}

/// A wait and the place for its result. If this object is released before a result, the wait ends and `slot` stays empty.
@usableFromInline final class Answer: @unchecked Sendable {
  // Invariant: `slot` points to a `Result<Value, any Error>?` on the coroutine's stack, which is valid until the wait ends.
  // Only the thread for which `claim` succeeded writes the slot, before it calls `finish`.
  @usableFromInline let suspension: Suspension
  @usableFromInline let slot: UnsafeMutableRawPointer

  @usableFromInline init(_ suspension: Suspension, _ slot: UnsafeMutableRawPointer) {
    self.suspension = suspension
    self.slot = slot
  }

  deinit { if let claim = suspension.claim() { suspension.finish(claim) } }
}
