import CContextSwitch

/// A ticket's entry in the list of one channel.
@usableFromInline struct ChannelWaiter: ListNode {
  // Invariant: the links are touched under the channel's lock. Where it lies it stays until it is in no list: on the
  // waiting coroutine's stack, or in the clause of its `select`.
  @usableFromInline var next: UnsafeMutablePointer<ChannelWaiter>?
  @usableFromInline var previous: UnsafeMutablePointer<ChannelWaiter>?
  @usableFromInline var isListed = false
  @usableFromInline let ticket: UnsafeMutablePointer<ChannelTicket>
  let index: Int
  /// A sender's element, or memory for a receiver's.
  @usableFromInline let slot: UnsafeMutableRawPointer

  @usableFromInline init(
    ticket: UnsafeMutablePointer<ChannelTicket>, index: Int, slot: UnsafeMutableRawPointer
  ) {
    self.ticket = ticket
    self.index = index
    self.slot = slot
  }
}

extension UnsafeMutablePointer<ChannelWaiter> {
  /// Tries to be the one who ends the wait, after the waiter has left its list. Who succeeds moves the element, lets go
  /// of the channel's lock, and wakes.
  @usableFromInline func claim(end: CoChannelError? = nil) -> ChannelWake? {
    let ticket = pointee.ticket
    let suspension = ticket.pointee.suspension
    guard let claim = suspension.claim() else { return nil }
    ticket.pointee.servedIndex = pointee.index
    ticket.pointee.end = end
    return ChannelWake(suspension: suspension, claim: claim)
  }
}

/// Those who wait, under the channel's lock.
@usableFromInline typealias ChannelWaiterList = NodeList<ChannelWaiter>

/// The wait of one coroutine for one channel, or for the first of several.
@usableFromInline struct ChannelTicket {
  // Invariant: it lies on the waiting coroutine's stack. The two below it are written by the one who has claimed the
  // suspension, before the claim is ended, and read by the coroutine after.
  @usableFromInline let suspension: Suspension
  /// The place of the waiter that was served; nil: the wait was cancelled.
  @usableFromInline var servedIndex: Int?
  /// Why nothing was exchanged.
  @usableFromInline var end: CoChannelError?

  /// Opens a suspension of the running coroutine, which must `park` next, on whatever thread.
  @usableFromInline init(at site: AwaitSite) {
    suspension = FiberPointer.current(for: "a channel").open(site)
  }

  /// Throws `CancellationError` if the running coroutine was cancelled. Traps outside of one.
  ///
  /// - Returns: what tells the thread it runs on from others.
  @usableFromInline static func checkCancellation() throws -> UnsafeRawPointer {
    let thread = context_thread_current()
    guard let fiber = FiberPointer.running(on: thread) else {
      preconditionFailure("send, receive or select was called outside of a coroutine")
    }
    try fiber.checkCancellation()
    return UnsafeRawPointer(thread)
  }
}

/// The duty to wake a coroutine that was served.
@usableFromInline struct ChannelWake {
  let suspension: Suspension
  let claim: Claim

  /// Outside of the channel's lock: without a scheduler the coroutine may run within.
  @usableFromInline func callAsFunction() { suspension.finish(claim) }
}
