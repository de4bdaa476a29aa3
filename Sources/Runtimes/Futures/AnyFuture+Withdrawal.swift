import RuntimeSupport
import Synchronization

extension AnyFuture {
  /// Removes an observer that is complete. If no other observer waits, marks this future as cancelled and returns the
  /// `Cancellation`, which the caller must `finish`. If another thread is completing this future, waits until it is complete.
  ///
  /// While `withdrawing` is set, no user code runs. The flag excludes other removals, but neither registration nor completion.
  final func withdraw(_ observer: AnyFuture) -> Cancellation? {
    guard let locked = takeObservers() else {
      awaitCompletion()
      return nil
    }
    // A walk over all observers at every removal would be quadratic. So after a walk that finds n waiting observers, the next
    // walk comes n removals later. A combination must be removed immediately, because the list does not retain it.
    withdrawalsUntilLook -= 1
    guard withdrawalsUntilLook <= 0 || observer.role == .combination else {
      putBack(locked.observers)
      return nil
    }
    let remaining = LiveObservers(of: locked.observers, without: observer)
    withdrawalsUntilLook = Int16(clamping: max(1, remaining.waitingCount))
    var cancellation: Cancellation?
    // The exchange succeeds only if no observer has registered since the observers were taken.
    if remaining.waitingCount == 0, !locked.has(StateWord.callback),
      let won = settle(as: cancellingWord, if: { $0.observers.isEnd })
    {
      let old = StateWord(bits: won.bits & StateWord.handler | remaining.newest.bits)
      cancellation = Cancellation(before: old, source: takeSource())
    } else {
      putBack(remaining.newest)
    }
    remaining.releaseDropped(and: observer)
    return cancellation
  }

  /// Takes all observers and sets the `withdrawing` flag. Returns the previous state, or `nil` if the future is not pending.
  final func takeObservers() -> StateWord? {
    var wait = SpinWait()
    while true {
      let taken = change {
        $0.isSettled || $0.has(StateWord.withdrawing)
          ? nil : $0.bits & StateWord.flags | StateWord.withdrawing
      }
      if taken != nil || word(.acquiring).isSettled { return taken }
      // The wait is short: another thread holds the `withdrawing` flag for a few stores, or for one walk over the observers.
      wait.pause()
    }
  }

  /// Puts the observers back and clears the `withdrawing` flag. If the future is no longer pending, waits until it is complete,
  /// and notifies the observers instead.
  final func putBack(_ observers: ObserverLink) {
    var newest = observers
    var current = word(.acquiring)
    while !current.isSettled {
      // Only the owner of a list may walk the list, so this thread first takes the observers that have registered meanwhile.
      let newer = current.observers
      let desired =
        newer.isEnd
        ? newest.bits | (current.bits & StateWord.flags & ~StateWord.withdrawing)
        : current.bits & StateWord.flags
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: desired,
        successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
      if exchanged, newer.isEnd { return }
      if exchanged {
        newer.append(newest)
        newest = newer
        current = word(.acquiring)
      } else {
        current = StateWord(bits: original)
      }
    }
    awaitCompletion()
    if newest.isEnd { return }
    deliver(StateWord(bits: newest.bits))
  }
}

extension ObserverLink {
  /// Appends a list of older observers to this list. Only for the thread that owns both lists.
  fileprivate func append(_ older: ObserverLink) {
    var oldest = self
    while true {
      let next = oldest.target._withUnsafeGuaranteedRef { $0.link }
      if next.isEnd { break }
      oldest = next
    }
    oldest.target._withUnsafeGuaranteedRef { $0.link = older }
  }
}

/// A list of observers, divided into those that still wait, newest first, and the rest. Owns the references to all of them.
struct LiveObservers {
  private(set) var newest = ObserverLink.end
  private(set) var waitingCount = 0
  private var dropped = ObserverLink.end
  private var hasTakenOutReceiver = false

  /// Divides a list of observers. If a combination of futures is at the list's end and is `withdrawn`, removes it.
  init(of list: ObserverLink, without withdrawn: AnyFuture) {
    var link = list
    var oldest = ObserverLink.end
    while link.isNode {
      let node = link
      node.target._withUnsafeGuaranteedRef {
        link = $0.link
        if $0.isWithdrawn {
          $0.link = dropped
          dropped = node
        } else {
          if $0.isWanting { waitingCount += 1 }
          append(node, to: oldest)
          oldest = node
        }
      }
    }
    var end = ObserverLink.end
    if link.isReceiver {
      hasTakenOutReceiver = link.bits == ObserverLink(receiver: withdrawn).bits
      if !hasTakenOutReceiver {
        waitingCount += 1
        end = link
      }
    }
    append(end, to: oldest)
  }

  private mutating func append(_ link: ObserverLink, to oldest: ObserverLink) {
    if oldest.isEnd { newest = link } else { oldest.target._withUnsafeGuaranteedRef { $0.link = link } }
  }

  /// Releases `withdrawn` and the observers that no longer wait. Never called while `withdrawing` is set: it may run user code.
  func releaseDropped(and withdrawn: AnyFuture) {
    var link = dropped
    while link.isNode {
      let node = link.target
      node._withUnsafeGuaranteedRef {
        link = $0.link
        $0.link = .end
        $0.forgetStep()
      }
      node.release()
    }
    if hasTakenOutReceiver, withdrawn.forgetSource() { Unmanaged.passUnretained(withdrawn).release() }
  }
}

extension AnyFuture {
  /// Adds `node`, whose source is this future, to the observers. Returns false and does nothing if this future is complete.
  @inlinable final func attach(_ node: AnyFuture) -> Bool {
    if isComplete { return false }
    let reference = Unmanaged.passRetained(node)
    if attach(reference) { return true }
    reference.release()
    return false
  }

  /// Adds an observer and takes over the reference to it. Returns false and does nothing if this future is complete.
  @inlinable final func attach(_ reference: Unmanaged<AnyFuture>) -> Bool {
    let before = change { current in
      if current.isSettled { return nil }
      reference._withUnsafeGuaranteedRef { $0.link = current.observers }
      return reference.address | (current.bits & StateWord.flags)
    }
    if before != nil { return true }
    reference._withUnsafeGuaranteedRef { $0.link = .end }
    awaitCompletion()
    return false
  }

  /// Adds an observer. If this future is already complete, the observer reacts immediately.
  @inlinable final func connect(_ node: AnyFuture) {
    if !attach(node) { react(node) }
  }

  /// Sets a flag of the state if the future is pending and `isFree` allows it. Returns whether the flag was set.
  @inlinable final func takeSlot(_ slot: UInt, if isFree: (StateWord) -> Bool) -> Bool {
    change { !$0.isSettled && isFree($0) ? $0.bits | slot : nil } != nil
  }

  /// Adds a receiver (an observer with several sources). If this future is complete, runs the receiver's step immediately. A
  /// receiver that is the first observer is not retained. It must live until its step has run or `withdraw` has removed it.
  @inlinable final func addReceiver(_ receiver: AnyFuture) {
    let before = change { $0.isUnobserved ? ObserverLink(receiver: receiver).bits | $0.bits : nil }
    if before == nil { addLaterReceiver(receiver) }
  }

  @usableFromInline final func addLaterReceiver(_ receiver: AnyFuture) {
    if !isComplete {
      let node = ReceiverNode(receiver)
      if attach(node) { return }
      node.receiver = nil
    }
    // The result needs no check: the combination of futures is still adding sources, so this cannot be the last one.
    _ = receiver.step(receiver, self)
  }
}

/// A list entry for a receiver (an observer of several futures), which cannot itself be in the observer lists of all of them.
///
/// `@unchecked Sendable`: `receiver` is only touched by the thread that runs the node's step, and by its deinitialiser.
final class ReceiverNode: AnyFuture, @unchecked Sendable {
  @exclusivity(unchecked) fileprivate var receiver: AnyFuture?

  init(_ receiver: AnyFuture) {
    self.receiver = receiver
    super.init(role: .observer) { node, source in
      let node = unsafeDowncast(node, to: ReceiverNode.self)
      if let receiver = node.receiver.take() {
        Unmanaged.passUnretained(receiver).receive(source)
      }
      return .noWaiters
    }
  }

  deinit {
    if let receiver, receiver.forgetSource() { Unmanaged.passUnretained(receiver).release() }
  }

  override var isWithdrawn: Bool { receiver?.isWithdrawn ?? true }
}
