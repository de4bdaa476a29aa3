import CContextSwitch

/// The wait of one coroutine for one channel, or for the first of several.
@usableFromInline struct ChannelTicket {
  // Invariant: it lies on the waiting coroutine's stack. The two below it are written by the one who has claimed the
  // suspension, before the claim is finished, and read by the coroutine after.
  let fiber: FiberPointer
  let epoch: UInt64
  /// The place of the waiter that was served; nil: the wait was cancelled.
  @usableFromInline var servedIndex: Int?
  /// Why nothing was exchanged.
  @usableFromInline var end: CoChannelError?

  /// Opens a suspension of the running coroutine, which must `park` next, on whatever thread.
  @usableFromInline init(at site: AwaitSite) {
    fiber = .current(for: "a channel")
    epoch = fiber.open(site)
  }

  /// Throws `CancellationError` if the running coroutine was cancelled. Traps outside of one.
  ///
  /// - Returns: what tells the thread it runs on from others.
  @usableFromInline static func checkCancellation() throws -> UnsafeRawPointer {
    let thread = context_thread_current()
    guard let fiber = thread.pointee.current?.assumingMemoryBound(to: Fiber.self) else {
      preconditionFailure("send, receive or select was called outside of a coroutine")
    }
    try fiber.checkCancellation()
    return UnsafeRawPointer(thread)
  }
}

extension UnsafeMutablePointer<ChannelTicket> {
  /// Waits. Returns whether cancellation ended it. On the pointer, because others write the rest of the ticket meanwhile.
  @usableFromInline func park() -> Bool { pointee.fiber.park() }
}
