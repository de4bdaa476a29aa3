import RuntimeSupport
import Synchronization

extension AnyFuture {
  /// Removes an observer that is complete. If no other one waits, wins the cancellation, which the caller finishes.
  ///
  /// Works under the `withdrawing` flag with the observers in hand, so withdrawals of one future exclude each other, while
  /// registration and completion go on. No foreign code runs under the flag.
  final func withdraw(_ observer: AnyFuture) -> Cancellation? {
    guard let locked = takeObservers() else { return nil }
    // Walking over all observers at every withdrawal would be quadratic. A walk that left n waiting makes the next one due
    // after n withdrawals: before that, one of the n still waits. A combination is not retained by the list, so it leaves at
    // once.
    withdrawalsUntilLook -= 1
    guard withdrawalsUntilLook <= 0 || observer.role == .combination else {
      putBack(locked.observers)
      return nil
    }
    let remaining = LiveObservers(of: locked.observers, without: observer)
    withdrawalsUntilLook = Int16(clamping: max(1, remaining.waitingCount))
    var cancellation: Cancellation?
    // Wins the cancellation if no observer has registered since the observers were taken.
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

  /// Takes all observers, and the `withdrawing` flag with them: the state before, nil if the future is settled.
  final func takeObservers() -> StateWord? {
    var wait = SpinWait()
    while true {
      let taken = change {
        $0.isSettled || $0.has(StateWord.withdrawing)
          ? nil : $0.bits & StateWord.flags | StateWord.withdrawing
      }
      if taken != nil || word(.acquiring).isSettled { return taken }
      // The holder of the flag gives it back after a few stores, or one walk over the observers.
      wait.pause()
    }
  }

  /// Gives the observers and the flag back, or notifies the observers if the future has completed meanwhile.
  final func putBack(_ observers: ObserverLink) {
    var newest = observers
    var current = word(.acquiring)
    while !current.isSettled {
      // Only the owner of a list may walk it, so newer observers, registered meanwhile, are taken first.
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
    if newest.isEnd { return }
    awaitCompletion()
    deliver(StateWord(bits: newest.bits))
  }
}

extension ObserverLink {
  /// Puts older observers behind the oldest of these. Only for the owner of both; these are nodes.
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

/// The observers of a list, newest first, divided into those that still wait and the rest. Owns the list's references to both.
struct LiveObservers {
  private(set) var newest = ObserverLink.end
  private(set) var waitingCount = 0
  private var dropped = ObserverLink.end
  private var hasTakenOutReceiver = false

  /// Divides a list; a receiver at its end is taken out if it is `withdrawn`.
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

  /// Releases the rest, and the withdrawn observer. May run foreign code, so never under a flag.
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
  /// Adds a new node, whose `source` is set, to the observers. False if this future is complete; nothing is added then.
  @inlinable final func attach(_ node: AnyFuture) -> Bool {
    if isComplete { return false }
    let reference = Unmanaged.passRetained(node)
    if attach(reference) { return true }
    reference.release()
    return false
  }

  /// The same, and takes over the reference to the node if it is added.
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

  /// Adds a node, or lets it react at once if this future is already complete.
  @inlinable final func connect(_ node: AnyFuture) {
    if !attach(node) { react(node) }
  }

  /// Takes a slot, if it is free and this future has not completed.
  @inlinable final func takeSlot(_ slot: UInt, if isFree: (StateWord) -> Bool) -> Bool {
    change { !$0.isSettled && isFree($0) ? $0.bits | slot : nil } != nil
  }

  /// Makes a node with several sources react to the completion of this one, at once if it is complete. The first waiter stands
  /// in the list itself, without a node; it must stay alive until it is notified or `withdraw` has removed it.
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
    // Never the last source: the combination is still starting.
    _ = receiver.step(receiver, self)
  }
}

/// Stands in an observer list for a node that observes several futures.
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
