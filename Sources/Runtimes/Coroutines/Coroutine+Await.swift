import Synchronization

extension Coroutine {
  /// Waits for a callback without blocking a thread, and returns what it was called with.
  ///
  /// `start` is called at once and is given the completion, which may be called on any thread, also before `start`
  /// returns; a second call is ignored. What `start` returns is called if the coroutine is cancelled meanwhile; the
  /// completion must still be called then.
  /// - Throws: `CancellationError` at once, without a start, if the coroutine is cancelled already; the completion's error;
  ///   `CoroutineError.dropped` if the completion is let go without a call.
  /// - Precondition: called inside a coroutine.
  @inlinable
  public static func await<Value: Sendable>(
    _ start: (_ completion: @escaping @Sendable (Result<Value, any Error>) -> Void) -> @Sendable () -> Void
  ) throws -> Value {
    guard let coroutine = current else { preconditionFailure("await was called outside of a coroutine") }
    var answer: Result<Value, any Error>?
    if coroutine.isCancelled { throw CancellationError() }
    withUnsafeMutablePointer(to: &answer) { slot in
      let cancel = start(Resumption(coroutine, slot).completion)
      let id = coroutine.cancellation.add(cancel)
      coroutine.suspendUnlessWoken()
      coroutine.cancellation.remove(id)
    }
    return try answer!.get()
  }

  /// The same for a callback that cannot be cancelled.
  @inlinable
  public static func await<Value: Sendable>(
    _ start: (_ completion: @escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
  ) throws -> Value {
    guard let coroutine = current else { preconditionFailure("await was called outside of a coroutine") }
    var answer: Result<Value, any Error>?
    withUnsafeMutablePointer(to: &answer) { slot in
      start(Resumption(coroutine, slot).completion)
      coroutine.suspendUnlessWoken()
    }
    return try answer!.get()
  }
}

/// The right to answer one await, once. If it is let go unanswered, the await fails instead of hanging.
@usableFromInline
final class Resumption<Value: Sendable>: @unchecked Sendable {
  @usableFromInline let coroutine: Coroutine
  // Invariant: the slot lies on the coroutine's stack, which cannot leave the await before it was woken; only the caller
  // that turned `isAnswered` writes it, and wakes the coroutine after.
  @usableFromInline let slot: UnsafeMutablePointer<Result<Value, any Error>?>
  @usableFromInline let isAnswered = Atomic<Bool>(false)

  @inlinable init(_ coroutine: Coroutine, _ slot: UnsafeMutablePointer<Result<Value, any Error>?>) {
    self.coroutine = coroutine
    self.slot = slot
  }

  @inlinable deinit { answer(.failure(CoroutineError.dropped)) }

  @inlinable var completion: @Sendable (Result<Value, any Error>) -> Void { { self.answer($0) } }

  @inlinable func answer(_ result: Result<Value, any Error>) {
    guard !isAnswered.exchange(true, ordering: .relaxed) else { return }
    slot.pointee = result
    coroutine.wake()
  }
}
