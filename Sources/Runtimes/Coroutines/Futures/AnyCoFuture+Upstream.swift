/// The source of a future made by `map`, and the waiter that the new future has registered with that source.
struct Upstream {
  let future: AnyCoFuture
  let waiter: UnsafeMutablePointer<Waiter>

  /// Removes the waiter. Returns the source if it has no other waiters, so that the caller must cancel it.
  func withdraw() -> AnyCoFuture? { future.withdraw(waiter) ? future : nil }
}

extension AnyCoFuture {
  /// Calls back once the source is resolved, unless this future is resolved or cancelled first.
  @usableFromInline final func follow(
    _ source: AnyCoFuture, _ callback: @escaping @Sendable (AnyCoFuture) -> Void
  ) {
    if source.isResolved {
      CallbackTurn.run(callback, for: source)
      return
    }
    let waiter = UnsafeMutablePointer<Waiter>.allocate(callback)
    lock.lock()
    if isResolved || isCancelRequested {
      lock.unlock()
      _ = waiter.retire()
      if source.isUnobserved { source.cancel() }
      return
    }
    upstream = source
    upstreamWaiter = waiter
    lock.unlock()
    source.register(waiter)
  }

  /// Adds a callback's waiter to the list. If this future is resolved, calls back instead.
  final func register(_ waiter: UnsafeMutablePointer<Waiter>) {
    lock.lock()
    if waiter.pointee.isWithdrawn {
      lock.unlock()
      _ = waiter.retire()
    } else if isResolved {
      lock.unlock()
      CallbackTurn.run(waiter.retire().callback!, for: self)
    } else {
      waiters.append(waiter)
      lock.unlock()
    }
  }

  /// Removes a callback's waiter. Returns whether this future has no waiters left.
  final func withdraw(_ waiter: UnsafeMutablePointer<Waiter>) -> Bool {
    lock.lock()
    // The waiter is gone: the thread that resolved this future has removed it.
    if isResolved {
      lock.unlock()
      return false
    }
    let isListed = waiter.pointee.isListed
    if isListed { waiters.remove(waiter) } else { waiter.pointee.isWithdrawn = true }
    let isUnobserved = waiters.isEmpty
    lock.unlock()
    if isListed { _ = waiter.retire() }
    return isUnobserved
  }

  private var isUnobserved: Bool { lock.withLock { !isResolved && waiters.isEmpty } }

  /// Removes and returns the upstream and the cancel handlers. Call this function under the lock.
  final func takeUpstream() -> (Upstream?, (@Sendable () -> Void)?) {
    var taken: Upstream?
    if let waiter = upstreamWaiter {
      taken = upstream.map { Upstream(future: $0, waiter: waiter) }
      (upstream, upstreamWaiter) = (nil, nil)
    }
    return (taken, cancelAction.take())
  }

  /// Adds a handler that is called, after earlier ones, if this future is cancelled before it has a result. If it was already
  /// cancelled, calls the handler immediately.
  final func setCancelHandler(_ handler: @escaping @Sendable () -> Void) {
    lock.lock()
    let isCancelled = isCancelRequested
    if !isCancelled, !isResolved {
      if let former = cancelAction {
        cancelAction = {
          former()
          handler()
        }
      } else {
        cancelAction = handler
      }
    }
    lock.unlock()
    if isCancelled { handler() }
  }
}
