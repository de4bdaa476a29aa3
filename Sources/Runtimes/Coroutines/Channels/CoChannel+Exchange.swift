import RuntimeSupport

/// Carrying out the steps that the state decides, under the lock.
extension CoChannel {
  @usableFromInline enum Sent {
    case sent(ChannelWake?)
    case full
    case ended(CoChannelError)
  }

  @usableFromInline enum Received {
    case received(Element, ChannelWake?)
    case empty
    case ended(CoChannelError)
  }

  /// Under the lock.
  @inlinable @inline(__always) func trySend(_ element: Element) -> Sent {
    while true {
      switch state.send(element) {
      case .buffered: return .sent(nil)
      case .full: return .full
      case .ended(let error): return .ended(error)
      case .handOver(let receiver):
        guard let wake = receiver.claim() else { continue }
        receiver.pointee.slot.initializeMemory(as: Element.self, to: element)
        return .sent(wake)
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
    yieldProcessor()
    lock.lock()
    let sent = trySend(element)
    let isFull = if case .full = sent { true } else { false }
    state.yielding.gaveWay(inVain: isFull)
    return sent
  }

  /// Tries again after a moment without the lock.
  @inlinable @inline(never) func tryReceiveAfterYielding() -> Received {
    lock.unlock()
    yieldProcessor()
    lock.lock()
    let received = tryReceive()
    let isEmpty = if case .empty = received { true } else { false }
    state.yielding.gaveWay(inVain: isEmpty)
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
  @inlinable @inline(never) func waitToSend(_ element: Element) throws {
    try withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { slot in
      slot.initializeElement(at: 0, to: element)
      do { try wait(isSender: true, UnsafeMutableRawPointer(slot.baseAddress!)) } catch {
        slot.deinitializeElement(at: 0)
        throw error
      }
    }
  }

  /// Under the lock, which it gives up.
  @inlinable @inline(never) func waitToReceive() throws -> Element {
    try withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { slot in
      try wait(isSender: false, UnsafeMutableRawPointer(slot.baseAddress!))
      return slot.moveElement(from: 0)
    }
  }

  /// Returns when the slot's element has been exchanged; throws if there was no exchange.
  @inlinable @inline(__always) func wait(isSender: Bool, _ slot: UnsafeMutableRawPointer) throws {
    var waiter = ChannelWaiter(slot: slot)
    try withUnsafeMutablePointer(to: &waiter) { waiter in
      if isSender { state.senders.append(waiter) } else { state.receivers.append(waiter) }
      lock.unlock()
      if waiter.pointee.suspension.park() {
        lock.lock()
        if isSender { state.senders.remove(waiter) } else { state.receivers.remove(waiter) }
        lock.unlock()
        throw CancellationError()
      }
      if let end = waiter.pointee.end { throw end }
    }
  }

  /// Under the lock: claims all that wait, because the channel has ended.
  func claimAll(end: CoChannelError) -> ReadyFibers {
    var claimed = ReadyFibers()
    while let waiter = state.senders.removeFirst() ?? state.receivers.removeFirst() {
      if let wake = waiter.claim(end: end) { claimed.append(wake.suspension, wake.claim) }
    }
    return claimed
  }
}
