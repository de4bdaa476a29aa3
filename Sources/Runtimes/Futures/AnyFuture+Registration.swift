import Synchronization

extension AnyFuture {
  /// Adds a node to the observers. The node must be new, with its `upstream` set.
  /// - Returns: false if this future is already complete; nothing is added then.
  @inlinable
  final func attach(_ node: AnyFuture) -> Bool {
    var current = word(.acquiring)
    guard !current.isComplete else { return false }
    let reference = Unmanaged.passRetained(node)
    repeat {
      node.next = current.observers == 0 ? nil : .at(current.observers)
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: reference.address | (current.bits & StateWord.flags),
        successOrdering: .releasing, failureOrdering: .acquiring)
      if exchanged { return true }
      current = StateWord(bits: original)
    } while !current.isComplete
    reference.release()
    node.next = nil
    return false
  }

  /// Adds a node, or lets it react at once if this future is already complete.
  @inlinable
  final func connect(_ node: AnyFuture) {
    if !attach(node) { react(node) }
  }

  /// Lets a node react to this complete future: now, or after the callback that is running on this thread.
  @usableFromInline
  final func react(_ node: AnyFuture) {
    let queue = DeliveryQueue.current
    if queue.pointee.isActive {
      queue.pointee.append(.init(target: .passRetained(node), source: .passRetained(self)))
    } else {
      queue.runOutermost { if node.step(node, self) { node.flush(queue) } }
    }
  }

  /// Calls the inline observer of this complete future, which the completion has left to this thread.
  @usableFromInline
  final func serveInlineObserver() {
    react(
      AnyFuture { _, source in
        source.runInlineObserver()
        return false
      })
  }

  /// Takes hold of the inline slots if `slot` is free and nobody else has hold of them.
  @inlinable
  final func lockSlots(for slot: UInt) -> Bool {
    var current = word(.acquiring)
    while !current.isComplete && current.bits & (slot | StateWord.slotBusy) == 0 {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: current.bits | StateWord.slotBusy,
        successOrdering: .acquiring, failureOrdering: .acquiring)
      if exchanged { return true }
      current = StateWord(bits: original)
    }
    return false
  }

  /// Lets go of the inline slots and marks `slot` as taken.
  /// - Returns: false if the future has completed meanwhile: the caller keeps the slot and must serve it.
  @inlinable
  final func unlockSlots(marking slot: UInt) -> Bool {
    var current = word(.relaxed)
    while !current.isComplete {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: (current.bits & ~StateWord.slotBusy) | slot,
        successOrdering: .releasing, failureOrdering: .acquiring)
      if exchanged { return true }
      current = StateWord(bits: original)
    }
    return false
  }
}
