import CContextSwitch
import RuntimeSupport

/// The state of a channel and its decisions, without locks, threads or coroutines. The channel carries out each decision. If a
/// decision would resume a waiter that was cancelled, the channel requests another decision.
@usableFromInline struct ChannelState<Element>: ~Copyable {
  @usableFromInline var buffer = RingBuffer<Element>()
  // Invariant: receivers wait only while the buffer is empty and no sender waits. Senders wait only while the buffer is full.
  @usableFromInline var senders = ChannelWaiterList()
  @usableFromInline var receivers = ChannelWaiterList()
  @usableFromInline var end: CoChannelError?
  @usableFromInline var yielding: ChannelYielding
  @usableFromInline let capacity: Int

  @inlinable init(capacity: Int) {
    self.capacity = capacity
    yielding = ChannelYielding(isWorthwhile: capacity > 1)
  }

  @usableFromInline enum SendStep {
    case buffered
    /// A receiver waits: the caller gives the element to it. The receiver has been removed from `receivers`.
    case handOver(to: UnsafeMutablePointer<ChannelWaiter>)
    /// The buffer is full. The caller waits in `senders` or gives up.
    case full
    case ended(CoChannelError)
  }

  @inlinable mutating func send(_ element: Element) -> SendStep {
    if let end { return .ended(end) }
    if let receiver = receivers.removeFirst() { return .handOver(to: receiver) }
    if buffer.count < capacity {
      buffer.append(element)
      return .buffered
    }
    return .full
  }

  @usableFromInline enum ReceiveStep {
    /// The oldest element of the buffer. The caller then calls `refill`.
    case element(Element)
    /// The caller takes the element of this waiting sender, which has been removed from `senders`.
    case takeOver(from: UnsafeMutablePointer<ChannelWaiter>)
    /// There is no element. The caller waits in `receivers` or gives up.
    case empty
    case ended(CoChannelError)
  }

  @inlinable mutating func receive() -> ReceiveStep {
    if !buffer.isEmpty { return .element(buffer.removeFirst()) }
    if let sender = senders.removeFirst() { return .takeOver(from: sender) }
    if let end { return .ended(end) }
    return .empty
  }

  /// Removes the first waiting sender, whose element the caller must append to the buffer. The buffer must have room.
  @inlinable mutating func refill() -> UnsafeMutablePointer<ChannelWaiter>? { senders.removeFirst() }

  /// Ends sending. Returns false if the channel had already ended; otherwise the caller must wake all waiters.
  mutating func close() -> Bool {
    if end != nil { return false }
    end = .closed
    return true
  }

  /// Ends sending and receiving. Moves the buffered elements into `dropped`, which must be empty. Returns false if the channel
  /// had already ended; otherwise the caller must wake all waiters.
  @inlinable mutating func cancel(dropping dropped: inout RingBuffer<Element>) -> Bool {
    if end == .canceled { return false }
    end = .canceled
    swap(&buffer, &dropped)
    return true
  }
}

/// Decides whether a sender or receiver yields its processor before it waits, because a yield takes less time than a wait.
///
/// Without yields, a sender and a receiver on two threads wake each other for each element; during a yield, the other side
/// handles many elements. After each yield in vain, the number of waits without a yield doubles, up to 64.
@usableFromInline struct ChannelYielding {
  /// The thread that last sent an element, and the thread that last received one.
  @usableFromInline var sendingThread: UnsafeRawPointer?
  @usableFromInline var receivingThread: UnsafeRawPointer?
  private let isWorthwhile: Bool
  private var penalty: UInt8 = 0
  private var waitsToGo: UInt8 = 0

  @usableFromInline init(isWorthwhile: Bool) { self.isWorthwhile = isWorthwhile }

  /// Whether the coroutine should yield its processor before it waits.
  @usableFromInline mutating func givesWay() -> Bool {
    guard isWorthwhile, let sendingThread, let receivingThread, sendingThread != receivingThread else {
      return false
    }
    if waitsToGo == 0 { return true }
    waitsToGo -= 1
    return false
  }

  /// Records the outcome of a yield, which was in vain if the coroutine must wait nevertheless.
  @usableFromInline mutating func gaveWay(inVain: Bool) {
    penalty = inVain ? min(max(1, penalty &* 2), 64) : 0
    waitsToGo = penalty
  }
}

/// One wait of one coroutine, to send to a channel or to receive from it.
@usableFromInline struct ChannelWaiter: ListNode {
  // Invariant: a waiter lies on the waiting coroutine's stack, which stays valid until the waiter has left its list. The links
  // are touched under the channel's lock. The thread that ends the wait writes `end`, and the coroutine reads it afterwards.
  @usableFromInline var next: UnsafeMutablePointer<ChannelWaiter>?
  @usableFromInline var previous: UnsafeMutablePointer<ChannelWaiter>?
  @usableFromInline var isListed = false
  @usableFromInline let suspension: Suspension
  /// A sender's element, or uninitialised memory for a receiver's element.
  @usableFromInline let slot: UnsafeMutableRawPointer
  /// The reason why the wait ended without an exchange of an element.
  @usableFromInline var end: CoChannelError?

  /// Begins a wait of the running coroutine, which must call `park` next.
  @usableFromInline init(slot: UnsafeMutableRawPointer) {
    self.init(FiberPointer.current(for: "a channel").open(), slot: slot)
  }

  init(_ suspension: Suspension, slot: UnsafeMutableRawPointer) {
    self.suspension = suspension
    self.slot = slot
  }

  /// Throws `CancellationError` if the running coroutine was cancelled, and `calledOutsideCoroutine` if there is none. Returns
  /// the identity of the calling thread.
  @usableFromInline static func checkCancellation() throws -> UnsafeRawPointer {
    let thread = context_thread_current()
    guard let fiber = FiberPointer.running(on: thread) else { throw CoroutineError.calledOutsideCoroutine }
    try fiber.checkCancellation()
    return UnsafeRawPointer(thread)
  }
}

extension UnsafeMutablePointer<ChannelWaiter> {
  /// Tries to end the wait. After a success, the caller must move the element, release the lock, and wake the coroutine.
  @usableFromInline func claim(end: CoChannelError? = nil) -> ChannelWake? {
    let suspension = pointee.suspension
    guard let claim = suspension.claim() else { return nil }
    pointee.end = end
    return ChannelWake(suspension: suspension, claim: claim)
  }
}

/// A list of waiters, touched under the channel's lock.
@usableFromInline typealias ChannelWaiterList = NodeList<ChannelWaiter>

/// A coroutine whose wait has ended. The holder of this value must wake it.
@usableFromInline struct ChannelWake {
  let suspension: Suspension
  let claim: Claim

  /// Wakes the coroutine, which may run inside the call if it has no scheduler. Do not hold the channel's lock.
  @usableFromInline func callAsFunction() { suspension.finish(claim) }
}

/// Functions that carry out the decisions of `ChannelState`. Call them under the channel's lock.
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

  /// Unlocks, yields the processor, locks again, and then tries to send.
  @inlinable @inline(never) func trySendAfterYielding(_ element: Element) -> Sent {
    lock.unlock()
    yieldProcessor()
    lock.lock()
    let sent = trySend(element)
    let isFull = if case .full = sent { true } else { false }
    state.yielding.gaveWay(inVain: isFull)
    return sent
  }

  /// Unlocks, yields the processor, locks again, and then tries to receive.
  @inlinable @inline(never) func tryReceiveAfterYielding() -> Received {
    lock.unlock()
    yieldProcessor()
    lock.lock()
    let received = tryReceive()
    let isEmpty = if case .empty = received { true } else { false }
    state.yielding.gaveWay(inVain: isEmpty)
    return received
  }

  @inlinable @inline(__always) func refill() -> ChannelWake? {
    while let sender = state.refill() {
      guard let wake = sender.claim() else { continue }
      state.buffer.append(sender.pointee.slot.assumingMemoryBound(to: Element.self).move())
      return wake
    }
    return nil
  }

  /// Waits until the element is sent. Call it under the channel's lock, which it releases.
  @inlinable @inline(never) func waitToSend(_ element: Element) throws {
    try withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { slot in
      slot.initializeElement(at: 0, to: element)
      do { try wait(isSender: true, UnsafeMutableRawPointer(slot.baseAddress!)) } catch {
        slot.deinitializeElement(at: 0)
        throw error
      }
    }
  }

  /// Waits for an element. Call it under the channel's lock, which it releases.
  @inlinable @inline(never) func waitToReceive() throws -> Element {
    try withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { slot in
      try wait(isSender: false, UnsafeMutableRawPointer(slot.baseAddress!))
      return slot.moveElement(from: 0)
    }
  }

  /// Waits until a receiver has taken the element in `slot`, or a sender has written one there. Otherwise throws.
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

  /// Ends all waits, because the channel has ended. Call it under the lock.
  func claimAll(end: CoChannelError) -> ReadyFibers {
    var claimed = ReadyFibers()
    while let waiter = state.senders.removeFirst() ?? state.receivers.removeFirst() {
      if let wake = waiter.claim(end: end) { claimed.append(wake.suspension, wake.claim) }
    }
    return claimed
  }
}
