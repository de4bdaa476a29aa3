/// What ends one wait of one coroutine: the coroutine goes on with what it is given.
///
/// The first call counts; any thread, at once or later. Let go of without a call, the wait throws
/// `CoroutineError.dropped`.
public struct CoContinuation<Value: Sendable>: Sendable {
  @usableFromInline let answer: Answer

  @inlinable init(_ answer: Answer) { self.answer = answer }

  /// Ends the wait with a value or an error.
  @inlinable public func resume(with result: Result<Value, any Error>) {
    guard let claim = answer.suspension.claim() else { return }
    answer.slot.assumingMemoryBound(to: Result<Value, any Error>?.self).pointee = result
    answer.suspension.finish(claim)
  }

  /// The same with a value.
  @inlinable public func resume(returning value: Value) { resume(with: .success(value)) }

  /// The same with an error, which the wait throws.
  @inlinable public func resume(throwing error: any Error) { resume(with: .failure(error)) }
}

extension CoContinuation<Void> {
  /// Ends a wait that brings nothing.
  @inlinable public func resume() { resume(with: .success(())) }
}

/// Where the result of a wait goes. Let go of without one, it ends the wait and leaves the slot empty.
@usableFromInline final class Answer: @unchecked Sendable {
  // Invariant: the slot lies on the coroutine's stack, which cannot leave the wait before the suspension is over; only
  // who has claimed it writes the slot, and finishes the claim after. The slot has the type of the one continuation.
  @usableFromInline let suspension: Suspension
  @usableFromInline let slot: UnsafeMutableRawPointer

  @usableFromInline init(_ suspension: Suspension, _ slot: UnsafeMutableRawPointer) {
    self.suspension = suspension
    self.slot = slot
  }

  deinit { if let claim = suspension.claim() { suspension.finish(claim) } }
}
