import Synchronization

extension AnyFuture {
  /// Lets a node with several sources react to the completion of this one, at once if that has happened.
  ///
  /// The first to wait stands in the list itself, without a node; it must stay alive until it has been told
  /// or `withdraw` has taken it out.
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
