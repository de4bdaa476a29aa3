/// Functions that can suspend on a stack of their own, and go on later, perhaps on another thread.
///
/// A coroutine runs on its scheduler or, without one, on the thread that starts it or completes what it waits for; there a
/// coroutine that becomes ready while another runs waits until that one leaves, so that resumptions never nest. So do not
/// block a thread inside a coroutine, and do not suspend inside a lock or a task-local value: both stay with the thread.
public enum Coroutine {
  /// Starts a coroutine and returns its future, which is also how to cancel it.
  ///
  /// - Parameters:
  ///   - scheduler: where it runs; nil: at once, on the thread that resumes it.
  ///   - name: what ``dump()`` and the overflow message call it.
  ///   - stackByteCount: the size of its stack (nil: 64 KiB), rounded up to pages. Memory is used as it is touched. An
  ///     overflow ends the process with a message.
  ///   - body: what it does; what it returns or throws is the future's result.
  @discardableResult
  @inlinable public static func start<Value: Sendable>(
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
  public static var isRunning: Bool { FiberPointer.currentIfAny != nil }

  /// Lets the others run that are ready on this scheduler, or on this thread if it has none; inside a coroutine.
  public static func yield() { FiberPointer.current(for: "yield").leave(.yielded) }
}

/// What can go wrong with waiting.
public enum CoroutineError: Error, Sendable, Hashable {
  /// What was awaited let go of its completion without calling it: it will never come.
  case dropped
  /// It took longer than it was given.
  case timedOut
  /// What a future's `flatMap` returned is that future itself, which would never be resolved. A longer circle is not noticed.
  case waitsForItself
  /// The system gives no memory or mapping for another stack: the coroutine has not begun. On Linux before 6.13
  /// `vm.max_map_count` comes to some 32 000 coroutines at once.
  case outOfStacks
}
