import RuntimeTiming
import Synchronization

extension AnyFuture {
  /// Forgets an observer that is complete. If nobody else waits, wins the cancellation of this future.
  ///
  /// Works under the `slotBusy` flag, so withdrawals of one future exclude each other, while registration and
  /// completion go on beside it. No foreign code runs under the flag.
  /// - Returns: the state before the cancellation if it was won; the caller then finishes it.
  final func withdraw(_ observer: AnyFuture) -> StateWord? {
    guard let locked = lockSlotsTakingObserver() else { return nil }
    var hasInline = locked.has(StateWord.observerReady)
    if hasInline, inlineReceiver === observer {
      inlineReceiver = nil
      inlineStep = nil
      hasInline = false
    }

    // Looking through all observers at every withdrawal would be quadratic. After a look that left n waiting
    // the next is due when n have withdrawn: before that, one of the n still waits.
    withdrawalsUntilPrune -= 1
    var remaining = Survivors()
    if withdrawalsUntilPrune <= 0 {
      remaining = Survivors(of: takeObservers())
      withdrawalsUntilPrune = max(1, remaining.waitingCount)
      if remaining.waitingCount == 0, !hasInline, let old = cancelIfUnobserved(beside: remaining) {
        remaining.releaseDropped()
        return old
      }
    }
    let mustServeSurvivors = !putBack(remaining)
    let mustServeInline = !unlockSlots(marking: hasInline ? StateWord.observerReady : 0) && hasInline
    if mustServeSurvivors { remaining.forEach { react($0) } }
    if mustServeInline { serveInlineObserver() }
    remaining.releaseDropped()
    return nil
  }

  /// Waits for the inline slots and hides the observer in them from a completion.
  /// - Returns: the state before, or nil if the future is complete or about to be.
  private final func lockSlotsTakingObserver() -> StateWord? {
    var current = word(.acquiring)
    while !current.isClaimedOrComplete {
      if current.has(StateWord.slotBusy) {
        // Whoever holds the flag is a few stores, or one walk over the observers, from giving it back.
        yieldProcessor()
        current = word(.acquiring)
        continue
      }
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits,
        desired: (current.bits & ~StateWord.observerReady) | StateWord.slotBusy,
        successOrdering: .acquiring, failureOrdering: .acquiring)
      if exchanged { return current }
      current = StateWord(bits: original)
    }
    return nil
  }

  private final func takeObservers() -> Unmanaged<AnyFuture>? {
    var current = word(.acquiring)
    while !current.isComplete, current.observers != 0 {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: current.bits & StateWord.flags,
        successOrdering: .acquiring, failureOrdering: .acquiring)
      if exchanged { return .at(current.observers) }
      current = StateWord(bits: original)
    }
    return nil
  }

  /// Wins the cancellation if nobody has registered since the observers were taken.
  private final func cancelIfUnobserved(beside survivors: Survivors) -> StateWord? {
    var current = word(.acquiring)
    while !current.isClaimedOrComplete, current.observers == 0 {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: StateWord.cancelled,
        successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
      if exchanged {
        let handler = current.bits & StateWord.handlerReady
        return StateWord(bits: handler | (survivors.first?.address ?? 0))
      }
      current = StateWord(bits: original)
    }
    return nil
  }

  /// - Returns: false if the future has completed meanwhile: the caller must serve them.
  private final func putBack(_ survivors: Survivors) -> Bool {
    guard let first = survivors.first, let last = survivors.last else { return true }
    var current = word(.acquiring)
    while !current.isComplete {
      // Who registered meanwhile ends up behind ours: only the owner of a list may walk to its end.
      last._withUnsafeGuaranteedRef { $0.next = current.observers == 0 ? nil : .at(current.observers) }
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: first.address | (current.bits & StateWord.flags),
        successOrdering: .releasing, failureOrdering: .acquiring)
      if exchanged { return true }
      current = StateWord(bits: original)
    }
    last._withUnsafeGuaranteedRef { $0.next = nil }
    return false
  }
}

/// The observers of a list that are still of use, newest first, and those that are not. It owns a retain of each.
private struct Survivors {
  var first: Unmanaged<AnyFuture>?
  var last: Unmanaged<AnyFuture>?
  var waitingCount: Int32 = 0
  private var dropped: Unmanaged<AnyFuture>?

  init() {}

  init(of list: Unmanaged<AnyFuture>?) {
    var node = list
    while let observer = node {
      observer._withUnsafeGuaranteedRef {
        node = $0.next
        if $0.isWithdrawn {
          $0.next = dropped
          dropped = observer
        } else {
          $0.next = nil
          if !$0.isPassive { waitingCount += 1 }
          if let last { last._withUnsafeGuaranteedRef { $0.next = observer } } else { first = observer }
          last = observer
        }
      }
    }
  }

  /// Gives every survivor to the body, oldest first, and lets go of it.
  func forEach(_ body: (AnyFuture) -> Void) {
    var oldestFirst: Unmanaged<AnyFuture>?
    var node = first
    while let observer = node {
      observer._withUnsafeGuaranteedRef {
        node = $0.next
        $0.next = oldestFirst
      }
      oldestFirst = observer
    }
    while let observer = oldestFirst {
      observer._withUnsafeGuaranteedRef {
        oldestFirst = $0.next.take()
        body($0)
      }
      observer.release()
    }
  }

  /// Lets go of the others. May run foreign deinitialisers, so never under a flag.
  func releaseDropped() {
    var node = dropped
    while let observer = node {
      observer._withUnsafeGuaranteedRef { node = $0.next.take() }
      observer.release()
    }
  }
}
