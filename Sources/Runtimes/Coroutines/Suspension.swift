/// One wait of one coroutine, as those that may end it know it.
///
/// Whatever its fiber does by then, a suspension that is over cannot be ended again.
@usableFromInline struct Suspension: @unchecked Sendable {
  // Invariant: a fiber's memory is never given back, and what others touch of it is its gate, which is atomic.
  let fiber: FiberPointer
  let epoch: UInt64
}

extension Suspension {
  /// Opens a suspension of the running coroutine, which must `park` next. Throws `CancellationError` if it was cancelled.
  ///
  /// - Parameter staysForResult: after cancellation ended it, the coroutine asks with `parkAgain` for the result.
  @usableFromInline init(staysForResult: Bool) throws {
    let fiber = try FiberPointer.current()
    try fiber.checkCancellation()
    self = fiber.open(flags: staysForResult ? Gate.reclaimable : UInt64(0))
  }

  /// Waits. Returns whether cancellation ended it.
  @usableFromInline func park() -> Bool { fiber.park() }

  /// Waits for the result that comes although cancellation ended the suspension.
  @usableFromInline func parkAgain() {
    reopen()
    _ = fiber.park()
  }

  /// Ends a claim and, if the fiber has left its stack, makes it ready: outside of locks, for it may run within.
  @usableFromInline func finish(_ claim: Claim) {
    if end(claim) { fiber.makeReady() }
  }
}
