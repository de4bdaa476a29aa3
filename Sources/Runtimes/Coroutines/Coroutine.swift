/// Functions that run on a stack of their own, where they can suspend and later continue, perhaps on another thread.
///
/// A coroutine runs on its scheduler. Without a scheduler, it runs on the thread that starts it or ends its wait; if another
/// coroutine runs there, it waits until that one suspends, so resumptions never nest. Do not block a thread inside a coroutine,
/// and do not suspend inside a lock or a task-local value, because both belong to the thread.
///
/// Outside of a coroutine, suspending functions throw ``CoroutineError/calledOutsideCoroutine``. Those that cannot throw end
/// the process with a message.
public enum Coroutine {
  /// Starts a coroutine and returns its future, whose `cancel` cancels the coroutine.
  ///
  /// Without options, `CoFuture { }` does the same, and so do `coroutineFuture { }` and `startCoroutine { }` of a scheduler.
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

  /// Lets other ready coroutines of its scheduler run first or, without one, those of its thread. Call it inside a coroutine.
  public static func yield() { FiberPointer.current(for: "yield").leave(.yielded) }
}

/// What can go wrong with a coroutine or a wait.
public enum CoroutineError: Error, Sendable, Hashable {
  /// A suspending function was called outside of a coroutine.
  case calledOutsideCoroutine
  /// A callback, or a task given to a scheduler, was released without a call, so the result never comes.
  case dropped
  /// The wait took longer than its time limit.
  case timedOut
  /// The system gives no memory or mapping for another stack, so the coroutine did not start. On Linux before 6.13
  /// `vm.max_map_count` allows some 32 000 coroutines at once.
  case outOfStacks
}

extension Coroutine {
  // Inlined, because otherwise the compiler specialises the closure that starts the work into a function that retains and
  // releases each capture.

  /// Suspends until the callback is called, on any thread, and returns its argument. Call it inside a coroutine.
  ///
  ///     let data = try Coroutine.await { callback in load(url, completion: callback) }
  ///
  /// Only the first call counts. A callback that is released without a call makes this throw ``CoroutineError/dropped``. If the
  /// coroutine is cancelled during the wait, this throws `CancellationError` and ignores a later call; to stop the work as
  /// well, use `withContinuation`. `start` itself must not suspend.
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

  /// Suspends until a continuation is resumed with a value or an error. Takes one allocation less than `await`.
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
  /// this calls `cancel` with the handle, and still waits for the work's result or error.
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

/// Ends one wait of one coroutine. Any thread may resume it, and only the first call counts. If it is released without a call,
/// the wait throws ``CoroutineError/dropped``.
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

/// Writes the result of a wait. Releasing it without a result ends the wait and leaves the slot empty.
@usableFromInline final class Answer: @unchecked Sendable {
  // Invariant: `slot` points to an optional result of the continuation's type on the coroutine's stack, which stays until the
  // wait is over. Only the thread that has claimed the suspension writes it, before it finishes the claim.
  @usableFromInline let suspension: Suspension
  @usableFromInline let slot: UnsafeMutableRawPointer

  @usableFromInline init(_ suspension: Suspension, _ slot: UnsafeMutableRawPointer) {
    self.suspension = suspension
    self.slot = slot
  }

  deinit { if let claim = suspension.claim() { suspension.finish(claim) } }
}
