/// Something that is told when a future is there: a coroutine, or a callback.
struct Waiter {
  var next: UnsafeMutablePointer<Waiter>?
  var previous: UnsafeMutablePointer<Waiter>?
  /// A coroutine's waiter lies on its stack, which it cannot leave without unlinking it; a callback's on the heap.
  var coroutine: (fiber: FiberPointer, epoch: UInt64)?
  var callback: (@Sendable (AnyCoFuture) -> Void)?
}

/// Waiters in the order in which they came. Whoever owns the list has the lock.
struct WaiterList {
  private(set) var first: UnsafeMutablePointer<Waiter>?
  private var last: UnsafeMutablePointer<Waiter>?

  var isEmpty: Bool { first == nil }

  mutating func append(_ waiter: UnsafeMutablePointer<Waiter>) {
    waiter.pointee.next = nil
    waiter.pointee.previous = last
    if let last { last.pointee.next = waiter } else { first = waiter }
    last = waiter
  }

  mutating func remove(_ waiter: UnsafeMutablePointer<Waiter>) {
    let (next, previous) = (waiter.pointee.next, waiter.pointee.previous)
    if let previous { previous.pointee.next = next } else { first = next }
    if let next { next.pointee.previous = previous } else { last = previous }
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
      var waiter = callbacks.first
      while let called = waiter {
        waiter = called.pointee.next
        called.pointee.callback?(future)
        called.deinitialize(count: 1)
        called.deallocate()
      }
    }
  }
}
