/// The future that another one gets its result from, and the waiter there.
struct Upstream {
  let future: AnyCoFuture
  let waiter: UnsafeMutablePointer<Waiter>

  /// Takes the waiter back. Returns the future if it is to be cancelled, because nobody waits for it any more.
  func withdraw() -> AnyCoFuture? { future.withdraw(waiter) ? future : nil }
}

/// What is done when a future is cancelled before it is resolved.
enum CancelAction {
  case call(@Sendable () -> Void)
  /// Returns what is to be cancelled too, in that order.
  case withdraw(@Sendable () -> [AnyCoFuture])
}

extension AnyCoFuture {
  /// Calls back once the source is resolved, unless this future is before; cancelling that withdraws it from the source.
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
    // A former one is let go of outside of the lock.
    let former = upstream
    upstream = Upstream(future: source, waiter: waiter)
    lock.unlock()
    withExtendedLifetime(former) {}
    source.register(waiter)
  }

  /// Lists a callback's waiter, or calls back.
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

  /// Takes a callback's waiter back. Returns whether nobody waits any more.
  final func withdraw(_ waiter: UnsafeMutablePointer<Waiter>) -> Bool {
    lock.lock()
    // Then the waiter is no longer there, or about to be called.
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

  private var isUnobserved: Bool {
    lock.withLock { !isResolved && waiters.isEmpty }
  }

  /// Under the lock.
  final func takeUpstream() -> (Upstream?, CancelAction?) {
    let taken = (upstream, cancelAction)
    if taken.0 != nil { upstream = nil }
    if taken.1 != nil { cancelAction = nil }
    return taken
  }

  /// What to do if this future, a promise's, is cancelled before it is resolved: at once if it was.
  @usableFromInline final func setCancelHandler(_ handler: @escaping @Sendable () -> Void) {
    lock.lock()
    let isCancelled = isCancelRequested
    if !isCancelled, !isResolved {
      if case .call(let former)? = cancelAction {
        cancelAction = .call {
          former()
          handler()
        }
      } else {
        cancelAction = .call(handler)
      }
    }
    lock.unlock()
    if isCancelled { handler() }
  }

  /// The same for a combination that is being made: nobody else knows of it.
  final func setWithdrawal(_ withdraw: @escaping @Sendable () -> [AnyCoFuture]) {
    lock.withLock { cancelAction = .withdraw(withdraw) }
  }
}
