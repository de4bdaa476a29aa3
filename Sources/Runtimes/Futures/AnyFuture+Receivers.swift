import Synchronization

extension AnyFuture {
  /// Lets a node with several upstreams react to the completion of this one, at once if that has happened.
  @usableFromInline
  final func addReceiver(_ receiver: AnyFuture) {
    if isComplete {
      _ = receiver.step(receiver, self)
    } else if lockSlots(for: StateWord.observerReady) {
      inlineReceiver = receiver
      inlineStep = { source in
        guard let receiver = source.inlineReceiver.take() else { return }
        _ = receiver.step(receiver, source)
      }
      if !unlockSlots(marking: StateWord.observerReady) { runInlineObserver() }
    } else {
      let node = ReceiverNode(receiver)
      if !attach(node) { _ = receiver.step(receiver, self) }
    }
  }
}

/// Stands in an observer list for a node that observes several futures.
final class ReceiverNode: AnyFuture, @unchecked Sendable {
  private let receiver: AnyFuture

  init(_ receiver: AnyFuture) {
    self.receiver = receiver
    super.init { node, source in
      let receiver = unsafeDowncast(node, to: ReceiverNode.self).receiver
      _ = receiver.step(receiver, source)
      return false
    }
  }

  // Claimed is enough: a combination cancels its sources before it publishes.
  override var isWithdrawn: Bool { receiver.word(.acquiring).isClaimedOrComplete }
}
