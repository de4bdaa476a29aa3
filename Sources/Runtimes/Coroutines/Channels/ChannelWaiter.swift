/// A ticket's entry in the list of one channel.
@usableFromInline struct ChannelWaiter {
  // Invariant: the links are touched under the channel's lock. Where it lies it stays until it is in no list: on the
  // waiting coroutine's stack, or in the clause of its `select`.
  var next: UnsafeMutablePointer<ChannelWaiter>?
  var previous: UnsafeMutablePointer<ChannelWaiter>?
  var isListed = false
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
    let (fiber, epoch) = (ticket.pointee.fiber, ticket.pointee.epoch)
    guard let claim = fiber.claim(epoch: epoch) else { return nil }
    ticket.pointee.servedIndex = pointee.index
    ticket.pointee.end = end
    return ChannelWake(fiber: fiber, epoch: epoch, claim: claim)
  }
}
