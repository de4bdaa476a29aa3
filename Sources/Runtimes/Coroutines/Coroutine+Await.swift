extension Coroutine {
  /// Suspends until the completion is called, without blocking a thread; inside a coroutine.
  ///
  /// The completion may be called at once or later, on any thread; calls after the first do nothing. One that is let go
  /// of without a call throws `CoroutineError.dropped`. If the coroutine is cancelled meanwhile, this throws
  /// `CancellationError` at once and what the completion brings later is ignored.
  @inlinable public static func await<Value: Sendable>(
    _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
  ) throws -> Value {
    let suspension = try Suspension(staysForResult: false)
    var slot: Result<Value, any Error>?
    return try withUnsafeMutablePointer(to: &slot) { slot in
      start(Answer(suspension, slot).completion())
      if suspension.park() { throw CancellationError() }
      guard let result = slot.pointee else { throw CoroutineError.dropped }
      return try result.get()
    }
  }

  /// As the other `await`, for work that can be stopped: `start` returns a handle of it, and `cancel` stops it.
  ///
  /// If the coroutine is cancelled meanwhile, `cancel` is called, and this still waits for the completion: nothing of the
  /// work is left when it returns, with the work's result or error.
  @inlinable public static func await<Value: Sendable, Handle>(
    cancel: (Handle) -> Void,
    _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Handle
  ) throws -> Value {
    let suspension = try Suspension(staysForResult: true)
    var slot: Result<Value, any Error>?
    return try withUnsafeMutablePointer(to: &slot) { slot in
      let handle = start(Answer(suspension, slot).completion())
      if suspension.park() {
        cancel(handle)
        suspension.parkAgain()
      }
      guard let result = slot.pointee else { throw CoroutineError.dropped }
      return try result.get()
    }
  }

  /// The same for work whose handle is what stops it.
  @inlinable public static func await<Value: Sendable>(
    _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> (@Sendable () -> Void)
  ) throws -> Value {
    try Coroutine.await(cancel: { (stop: @Sendable () -> Void) in stop() }, start)
  }
}

/// Where a callback's result goes. Let go of without a call, it ends the suspension and leaves the slot empty.
@usableFromInline final class Answer: @unchecked Sendable {
  // Invariant: the slot lies on the coroutine's stack, which cannot leave the await before the suspension is over; only
  // who has claimed it writes the slot, and finishes the claim after. The slot has the type of the one completion.
  @usableFromInline let suspension: Suspension
  @usableFromInline let slot: UnsafeMutableRawPointer

  @usableFromInline init(_ suspension: Suspension, _ slot: UnsafeMutableRawPointer) {
    self.suspension = suspension
    self.slot = slot
  }

  deinit { if let claim = suspension.claim() { suspension.finish(claim) } }

  @inlinable func completion<Value: Sendable>() -> @Sendable (Result<Value, any Error>) -> Void {
    { result in
      guard let claim = self.suspension.claim() else { return }
      self.slot.assumingMemoryBound(to: Result<Value, any Error>?.self).pointee = result
      self.suspension.finish(claim)
    }
  }
}
