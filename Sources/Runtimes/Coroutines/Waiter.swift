/// Something that is told when a future is there: a coroutine, or a callback.
struct Waiter {
  var next: UnsafeMutablePointer<Waiter>?
  var previous: UnsafeMutablePointer<Waiter>?
  /// A coroutine's waiter lies on its stack, which it cannot leave without unlinking it; a callback's on the heap.
  var coroutine: (fiber: FiberPointer, epoch: UInt64)?
  var callback: (@Sendable (AnyCoFuture) -> Void)?
  /// Whether a callback's waiter has memory of its own, which goes with it.
  var isAlone = true
  var isListed = false
  /// It was taken back before it was listed.
  var isWithdrawn = false
  /// What a callback is called with, if it had to wait for its turn; it holds one reference.
  var future: Unmanaged<AnyCoFuture>?
}

extension UnsafeMutablePointer<Waiter> {
  /// Ends a callback's waiter, which is in no list, and returns what it was.
  func retire() -> Waiter {
    let waiter = move()
    if waiter.isAlone { deallocate() }
    return waiter
  }
}

/// Waiters in the order in which they came. Whoever owns the list has the lock.
struct WaiterList {
  private(set) var first: UnsafeMutablePointer<Waiter>?
  private var last: UnsafeMutablePointer<Waiter>?

  var isEmpty: Bool { first == nil }

  mutating func append(_ waiter: UnsafeMutablePointer<Waiter>) {
    waiter.pointee.next = nil
    waiter.pointee.previous = last
    waiter.pointee.isListed = true
    if let last { last.pointee.next = waiter } else { first = waiter }
    last = waiter
  }

  mutating func remove(_ waiter: UnsafeMutablePointer<Waiter>) {
    let (next, previous) = (waiter.pointee.next, waiter.pointee.previous)
    if let previous { previous.pointee.next = next } else { first = next }
    if let next { next.pointee.previous = previous } else { last = previous }
    waiter.pointee.isListed = false
  }

  mutating func removeFirst() -> UnsafeMutablePointer<Waiter>? {
    guard let first else { return nil }
    remove(first)
    return first
  }

  /// Empties the list and claims its coroutines. To be woken outside the lock.
  mutating func claimAll() -> Claimed {
    var claimed = Claimed()
    while let waiter = first {
      remove(waiter)
      guard let (fiber, epoch) = waiter.pointee.coroutine else {
        claimed.callbacks.append(waiter)
        continue
      }
      // After the claim is finished the coroutine may go on and its waiter is no more.
      switch fiber.claim(epoch: epoch) {
      case .early?: if fiber.finishDelivery(epoch: epoch) { claimed.append(fiber) }
      case .parked?: claimed.append(fiber)
      case nil: break
      }
    }
    return claimed
  }

  /// What the former waiters get.
  struct Claimed {
    private var firstFiber: FiberPointer?
    private var lastFiber: FiberPointer?
    fileprivate(set) var callbacks = WaiterList()

    fileprivate mutating func append(_ fiber: FiberPointer) {
      fiber.pointee.next = nil
      if let lastFiber { lastFiber.pointee.next = fiber } else { firstFiber = fiber }
      lastFiber = fiber
    }

    func wake(for future: AnyCoFuture) {
      var fiber = firstFiber
      while let ready = fiber {
        fiber = ready.pointee.next
        ready.makeReady()
      }
      if !callbacks.isEmpty { CallbackTurn.run(callbacks, for: future) }
    }
  }
}
