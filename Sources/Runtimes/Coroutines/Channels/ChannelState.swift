import CContextSwitch
import RuntimeSupport

/// The state of a channel and its decisions, without locks, threads or coroutines.
///
/// Each decision is a step for the channel to carry out. If the step's waiter has been cancelled, the channel requests another.
@usableFromInline struct ChannelState<Element>: ~Copyable {
  @usableFromInline var buffer = RingBuffer<Element>()
  // Invariant: receivers wait only while the buffer is empty and no sender waits; senders only while it is full.
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
    /// The element is in the buffer.
    case buffered
    /// It goes to this receiver, which has left its list.
    case handOver(to: UnsafeMutablePointer<ChannelWaiter>)
    /// There is no room: wait among `senders`, or give up.
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
    /// The oldest one of the buffer. Next, `refill`.
    case element(Element)
    /// The element of this sender, which has left its list.
    case takeOver(from: UnsafeMutablePointer<ChannelWaiter>)
    /// There is none: wait among `receivers`, or give up.
    case empty
    case ended(CoChannelError)
  }

  @inlinable mutating func receive() -> ReceiveStep {
    if !buffer.isEmpty { return .element(buffer.removeFirst()) }
    if let sender = senders.removeFirst() { return .takeOver(from: sender) }
    if let end { return .ended(end) }
    return .empty
  }

  /// The sender whose element to append to the buffer, which has room.
  @inlinable mutating func refill() -> UnsafeMutablePointer<ChannelWaiter>? { senders.removeFirst() }

  /// Accepts no more elements. Returns false if it had ended; otherwise the caller wakes all waiters.
  mutating func close() -> Bool {
    if end != nil { return false }
    end = .closed
    return true
  }

  /// As `close`, and gives no more elements: buffered ones go into `dropped`, which must be empty.
  @inlinable mutating func cancel(dropping dropped: inout RingBuffer<Element>) -> Bool {
    if end == .canceled { return false }
    end = .canceled
    swap(&buffer, &dropped)
    return true
  }
}

/// When to yield to the other side's thread, before a wait that costs more than that.
///
/// Sides on two threads would wake each other for each element; while one yields, the other handles many. After a yield in
/// vain, twice as many waits as the last time skip it.
@usableFromInline struct ChannelYielding {
  /// The threads that sent and received last.
  @usableFromInline var sendingThread: UnsafeRawPointer?
  @usableFromInline var receivingThread: UnsafeRawPointer?
  private let isWorthwhile: Bool
  private var penalty: UInt8 = 0
  private var waitsToGo: UInt8 = 0

  @usableFromInline init(isWorthwhile: Bool) { self.isWorthwhile = isWorthwhile }

  /// Whether to yield now. Call it before a wait.
  @usableFromInline mutating func givesWay() -> Bool {
    guard isWorthwhile, let sendingThread, let receivingThread, sendingThread != receivingThread else {
      return false
    }
    if waitsToGo == 0 { return true }
    waitsToGo -= 1
    return false
  }

  /// Records whether the yield was in vain. Call it after each yield.
  @usableFromInline mutating func gaveWay(inVain: Bool) {
    penalty = inVain ? min(max(1, penalty &* 2), 64) : 0
    waitsToGo = penalty
  }
}

/// One wait of one coroutine for a channel.
@usableFromInline struct ChannelWaiter: ListNode {
  // Invariant: it lies on the waiting coroutine's stack, and keeps its address until it is in no list. The links are touched
  // under the channel's lock. `end` is written by the thread that has claimed the suspension, before the claim is ended, and
  // read by the coroutine after.
  @usableFromInline var next: UnsafeMutablePointer<ChannelWaiter>?
  @usableFromInline var previous: UnsafeMutablePointer<ChannelWaiter>?
  @usableFromInline var isListed = false
  @usableFromInline let suspension: Suspension
  /// A sender's element, or memory for a receiver's.
  @usableFromInline let slot: UnsafeMutableRawPointer
  /// Why no element was exchanged.
  @usableFromInline var end: CoChannelError?

  /// Opens a suspension of the running coroutine, which must `park` next, on any thread.
  @usableFromInline init(slot: UnsafeMutableRawPointer) {
    self.init(FiberPointer.current(for: "a channel").open(), slot: slot)
  }

  init(_ suspension: Suspension, slot: UnsafeMutableRawPointer) {
    self.suspension = suspension
    self.slot = slot
  }

  /// Throws `CancellationError` if the running coroutine was cancelled, and `calledOutsideCoroutine` if there is none. Returns
  /// the identity of its thread.
  @usableFromInline static func checkCancellation() throws -> UnsafeRawPointer {
    let thread = context_thread_current()
    guard let fiber = FiberPointer.running(on: thread) else { throw CoroutineError.calledOutsideCoroutine }
    try fiber.checkCancellation()
    return UnsafeRawPointer(thread)
  }
}

extension UnsafeMutablePointer<ChannelWaiter> {
  /// Tries to end the wait, after the waiter has left its list. The winner moves the element, releases the channel's lock, and
  /// wakes.
  @usableFromInline func claim(end: CoChannelError? = nil) -> ChannelWake? {
    let suspension = pointee.suspension
    guard let claim = suspension.claim() else { return nil }
    pointee.end = end
    return ChannelWake(suspension: suspension, claim: claim)
  }
}

/// Waiters, under the channel's lock.
@usableFromInline typealias ChannelWaiterList = NodeList<ChannelWaiter>

/// The duty to wake a coroutine whose wait has ended.
@usableFromInline struct ChannelWake {
  let suspension: Suspension
  let claim: Claim

  /// Outside of the channel's lock: without a scheduler the coroutine may run within.
  @usableFromInline func callAsFunction() { suspension.finish(claim) }
}

/// Carries out the steps that the state decides, under the lock.
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

  /// Tries again after a yield without the lock.
  @inlinable @inline(never) func trySendAfterYielding(_ element: Element) -> Sent {
    lock.unlock()
    yieldProcessor()
    lock.lock()
    let sent = trySend(element)
    let isFull = if case .full = sent { true } else { false }
    state.yielding.gaveWay(inVain: isFull)
    return sent
  }

  /// Tries again after a yield without the lock.
  @inlinable @inline(never) func tryReceiveAfterYielding() -> Received {
    lock.unlock()
    yieldProcessor()
    lock.lock()
    let received = tryReceive()
    let isEmpty = if case .empty = received { true } else { false }
    state.yielding.gaveWay(inVain: isEmpty)
    return received
  }

  /// Moves the first waiting sender's element into the buffer.
  @inlinable @inline(__always) func refill() -> ChannelWake? {
    while let sender = state.refill() {
      guard let wake = sender.claim() else { continue }
      state.buffer.append(sender.pointee.slot.assumingMemoryBound(to: Element.self).move())
      return wake
    }
    return nil
  }

  /// Under the lock, which it releases.
  @inlinable @inline(never) func waitToSend(_ element: Element) throws {
    try withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { slot in
      slot.initializeElement(at: 0, to: element)
      do { try wait(isSender: true, UnsafeMutableRawPointer(slot.baseAddress!)) } catch {
        slot.deinitializeElement(at: 0)
        throw error
      }
    }
  }

  /// Under the lock, which it releases.
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

  /// Under the lock: claims all waiters, because the channel has ended.
  func claimAll(end: CoChannelError) -> ReadyFibers {
    var claimed = ReadyFibers()
    while let waiter = state.senders.removeFirst() ?? state.receivers.removeFirst() {
      if let wake = waiter.claim(end: end) { claimed.append(wake.suspension, wake.claim) }
    }
    return claimed
  }
}
