import Synchronization

extension AnyFuture {
  /// Adds a new node, whose `source` is set, to the observers. False if this future is complete; nothing is added then.
  @inlinable
  final func attach(_ node: AnyFuture) -> Bool {
    if isComplete { return false }
    let reference = Unmanaged.passRetained(node)
    if attach(reference) { return true }
    reference.release()
    return false
  }

  /// The same, and takes over the reference to the node if it is added.
  @inlinable
  final func attach(_ reference: Unmanaged<AnyFuture>) -> Bool {
    var current = word(.acquiring)
    while !current.isSettled {
      reference._withUnsafeGuaranteedRef { $0.link = current.observers }
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: reference.address | (current.bits & StateWord.flags),
        successOrdering: .releasing, failureOrdering: .acquiring)
      if exchanged { return true }
      current = StateWord(bits: original)
    }
    reference._withUnsafeGuaranteedRef { $0.link = .end }
    if !current.isComplete { awaitCompletion() }
    return false
  }

  /// Adds a node, or lets it react at once if this future is already complete.
  @inlinable
  final func connect(_ node: AnyFuture) {
    if !attach(node) { react(node) }
  }

  /// Takes a slot, if it is free and this future has not completed.
  @inlinable
  final func takeSlot(_ slot: UInt, if isFree: (StateWord) -> Bool) -> Bool {
    var current = word(.relaxed)
    while !current.isSettled, isFree(current) {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: current.bits | slot,
        successOrdering: .relaxed, failureOrdering: .relaxed)
      if exchanged { return true }
      current = StateWord(bits: original)
    }
    return false
  }

  /// Lets a node with several sources react to the completion of this one, at once if that has happened. The first to
  /// wait stands in the list without a node; it must stay alive until it has been told or `withdraw` has taken it out.
  @inlinable
  final func addReceiver(_ receiver: AnyFuture) {
    var current = word(.acquiring)
    while current.isUnobserved {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: ObserverLink(receiver: receiver).bits | current.bits,
        successOrdering: .releasing, failureOrdering: .acquiring)
      if exchanged { return }
      current = StateWord(bits: original)
    }
    addLaterReceiver(receiver)
  }

  @usableFromInline
  final func addLaterReceiver(_ receiver: AnyFuture) {
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
/// `@unchecked Sendable`: `receiver` is only touched by the thread that tells the node, and by its deinitialiser.
final class ReceiverNode: AnyFuture, @unchecked Sendable {
  @exclusivity(unchecked) fileprivate var receiver: AnyFuture?

  init(_ receiver: AnyFuture) {
    self.receiver = receiver
    super.init(role: .observer) { node, source in
      let node = unsafeDowncast(node, to: ReceiverNode.self)
      if let receiver = node.receiver.take() {
        Unmanaged.passUnretained(receiver).receive(source)
      }
      return .nobody
    }
  }

  deinit {
    if let receiver, receiver.forgetSource() { Unmanaged.passUnretained(receiver).release() }
  }

  override var isWithdrawn: Bool { receiver?.isWithdrawn ?? true }
}
