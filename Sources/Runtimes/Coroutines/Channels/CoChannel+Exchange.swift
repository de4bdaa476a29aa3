/// Carrying out the steps that the state decides, under the lock.
extension CoChannel {
  /// What is left to do outside of the lock.
  @usableFromInline enum Leftover {
    case nothing
    case wake(ChannelWake)
    case destroy(Element)
  }

  @usableFromInline enum Sent {
    case sent(Leftover)
    case full
    case ended(CoChannelError)
  }

  @usableFromInline enum Received {
    case received(Element, ChannelWake?)
    case empty
    case ended(CoChannelError)
  }

  @inlinable func unlock(_ leftover: Leftover) {
    lock.unlock()
    if case .wake(let wake) = leftover { wake() }
  }

  /// Under the lock.
  @inlinable @inline(__always) func trySend(_ element: Element) -> Sent {
    while true {
      switch state.send(element) {
      case .buffered: return .sent(.nothing)
      case .replaced(let replaced): return .sent(.destroy(replaced))
      case .full: return .full
      case .ended(let error): return .ended(error)
      case .handOver(let receiver):
        guard let wake = receiver.claim() else { continue }
        receiver.pointee.slot.initializeMemory(as: Element.self, to: element)
        return .sent(.wake(wake))
      }
    }
  }

  /// Under the lock.
  @inlinable @inline(__always) func tryReceive() -> Received {
    while true {
      switch state.receive() {
      case .element(let element): return .received(element, refill())
      case .empty: return .empty
      case .ended(let error): return .ended(error)
      case .takeOver(let sender):
        guard let wake = sender.claim() else { continue }
        return .received(sender.pointee.slot.assumingMemoryBound(to: Element.self).move(), wake)
      }
    }
  }

  /// Tries again after a moment without the lock.
  @inlinable @inline(never) func trySendAfterYielding(_ element: Element) -> Sent {
    lock.unlock()
    ChannelYielding.giveWay()
    lock.lock()
    let sent = trySend(element)
    if case .full = sent {
      state.yielding.gaveWay(inVain: true)
    } else {
      state.yielding.gaveWay(inVain: false)
    }
    return sent
  }

  /// Tries again after a moment without the lock.
  @inlinable @inline(never) func tryReceiveAfterYielding() -> Received {
    lock.unlock()
    ChannelYielding.giveWay()
    lock.lock()
    let received = tryReceive()
    if case .empty = received {
      state.yielding.gaveWay(inVain: true)
    } else {
      state.yielding.gaveWay(inVain: false)
    }
    return received
  }

  /// Lets the first sender that waits into the buffer.
  @inlinable @inline(__always) func refill() -> ChannelWake? {
    while let sender = state.refill() {
      guard let wake = sender.claim() else { continue }
      state.buffer.append(sender.pointee.slot.assumingMemoryBound(to: Element.self).move())
      return wake
    }
    return nil
  }

  /// Under the lock, which it gives up.
  @inlinable @inline(never) func waitToSend(_ element: Element, at site: AwaitSite) throws {
    try withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { slot in
      slot.initializeElement(at: 0, to: element)
      var ticket = ChannelTicket(at: site)
      try withUnsafeMutablePointer(to: &ticket) { ticket in
        var waiter = ChannelWaiter(ticket: ticket, index: 0, slot: UnsafeMutableRawPointer(slot.baseAddress!))
        try withUnsafeMutablePointer(to: &waiter) { waiter in
          state.senders.append(waiter)
          lock.unlock()
          if ticket.park() {
            lock.lock()
            state.senders.remove(waiter)
            lock.unlock()
            slot.deinitializeElement(at: 0)
            throw CancellationError()
          }
          guard let end = ticket.pointee.end else { return }
          slot.deinitializeElement(at: 0)
          throw end
        }
      }
    }
  }

  /// Under the lock, which it gives up.
  @inlinable @inline(never) func waitToReceive(at site: AwaitSite) throws -> Element {
    return try withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { slot in
      var ticket = ChannelTicket(at: site)
      return try withUnsafeMutablePointer(to: &ticket) { ticket in
        var waiter = ChannelWaiter(ticket: ticket, index: 0, slot: UnsafeMutableRawPointer(slot.baseAddress!))
        return try withUnsafeMutablePointer(to: &waiter) { waiter in
          state.receivers.append(waiter)
          lock.unlock()
          if ticket.park() {
            lock.lock()
            state.receivers.remove(waiter)
            lock.unlock()
            throw CancellationError()
          }
          if let end = ticket.pointee.end { throw end }
          return slot.moveElement(from: 0)
        }
      }
    }
  }

  /// Under the lock: claims everybody who waits, because the channel has ended.
  func claimAll(end: CoChannelError) -> ReadyFibers {
    var claimed = ReadyFibers()
    while let waiter = state.senders.removeFirst() ?? state.receivers.removeFirst() {
      if let wake = waiter.claim(end: end) { claimed.append(wake.fiber, wake.claim, epoch: wake.epoch) }
    }
    return claimed
  }
}
