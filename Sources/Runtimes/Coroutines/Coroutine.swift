/// Functions that suspend on a stack of their own, and go on later, perhaps on another thread.
///
/// A coroutine runs on its scheduler or, without one, on the thread that starts it or ends its wait. A coroutine that becomes
/// ready while another runs there waits until that one leaves, so that resumptions never nest. Do not block a thread inside a
/// coroutine, and do not suspend inside a lock or a task-local value: both stay with the thread.
///
/// Outside of a coroutine, suspending functions throw ``CoroutineError/calledOutsideCoroutine``; those that cannot throw end
/// the process with a message.
public enum Coroutine {
  /// Starts a coroutine and returns its future, which is also how to cancel it.
  ///
  /// `CoFuture { }`, and `coroutineFuture { }` and `startCoroutine { }` of a scheduler, are the same without the options.
  ///
  /// - Parameters:
  ///   - scheduler: where it runs; nil: at once, on the thread that resumes it.
  ///   - name: what the overflow message calls it.
  ///   - stackByteCount: the size of its stack (nil: 128 KiB), rounded up to pages. Memory is used as it is touched. An overflow
  ///     ends the process with a message.
  ///   - body: the work; its value or error is the future's result.
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

  /// Lets other coroutines run that are ready on this scheduler, or on this thread if it has none; inside a coroutine.
  public static func yield() { FiberPointer.current(for: "yield").leave(.yielded) }
}

/// What can go wrong with a coroutine or a wait.
public enum CoroutineError: Error, Sendable, Hashable {
  /// A suspending function was called outside of a coroutine.
  case calledOutsideCoroutine
  /// A callback, or a scheduler's task, was released without a call, so the result never comes.
  case dropped
  /// It took longer than its time limit.
  case timedOut
  /// The system gives no memory or mapping for another stack: the coroutine has not begun. On Linux before 6.13
  /// `vm.max_map_count` allows some 32 000 coroutines at once.
  case outOfStacks
}

extension Coroutine {
  // Inlined: the closure that starts the work is otherwise specialised into a function of its own, which counts references to
  // all its captures.

  /// Suspends until the callback is called, at once or later, on any thread, and returns its argument; inside a coroutine.
  ///
  ///     let data = try Coroutine.await { callback in load(url, completion: callback) }
  ///
  /// Calls after the first do nothing; a callback that is released without a call makes this throw ``CoroutineError/dropped``.
  /// If the coroutine is cancelled meanwhile, this throws `CancellationError` at once and ignores a later call;
  /// `withContinuation` also stops the work. Do not wait inside of `start`.
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

  /// Awaits a continuation, which can also bring an error, in place of a callback; it takes one allocation less.
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

  /// Awaits work that can be stopped: `start` returns a handle of it. If the coroutine is cancelled meanwhile, `cancel` is
  /// called, and this still waits for the work's result or error.
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

/// Ends one wait of one coroutine: the first call counts; any thread, at once or later. Released without a call, it makes the
/// wait throw ``CoroutineError/dropped``.
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

  /// Ends the wait with an error, which it throws.
  @inlinable public func resume(throwing error: any Error) { resume(with: .failure(error)) }
}

extension CoContinuation<Void> {
  /// Ends a wait without a value.
  @inlinable public func resume() { resume(with: .success(())) }
}

/// Writes the result of a wait. Released without one, it ends the wait and leaves the slot empty.
@usableFromInline final class Answer: @unchecked Sendable {
  // Invariant: the slot lies on the coroutine's stack, which cannot leave the wait before the suspension is over. Only the
  // thread that has claimed the suspension writes the slot, before it finishes the claim. The slot has the continuation's type.
  @usableFromInline let suspension: Suspension
  @usableFromInline let slot: UnsafeMutableRawPointer

  @usableFromInline init(_ suspension: Suspension, _ slot: UnsafeMutableRawPointer) {
    self.suspension = suspension
    self.slot = slot
  }

  deinit { if let claim = suspension.claim() { suspension.finish(claim) } }
}
