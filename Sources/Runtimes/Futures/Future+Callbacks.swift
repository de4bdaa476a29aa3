import Dispatch
import Synchronization

extension Future {
  /// Calls back once with the outcome, inline.
  @inlinable
  public final func whenComplete(_ callback: @escaping @Sendable (Result<Value, any Error>) -> Void) {
    guard lockSlots(for: StateWord.observerReady) else { return connect(CallbackNode(callback)) }
    self.callback = callback
    inlineStep = { source in
      let future = unsafeDowncast(source, to: Future<Value>.self)
      guard let callback = future.callback else { return }
      future.callback = nil
      callback(future.completedResult)
    }
    if !unlockSlots(marking: StateWord.observerReady) { serveInlineObserver() }
  }

  /// Calls back once with the outcome, on a queue.
  @inlinable
  public final func whenComplete(
    on queue: DispatchQueue, _ callback: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    whenComplete { result in queue.async { callback(result) } }
  }
}

/// A callback on a future whose inline slot is taken, or which is complete.
@usableFromInline
final class CallbackNode<Value: Sendable>: AnyFuture, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline
  var callback: (@Sendable (Result<Value, any Error>) -> Void)?

  @inlinable
  init(_ callback: @escaping @Sendable (Result<Value, any Error>) -> Void) {
    self.callback = callback
    super.init { node, source in
      let node = unsafeDowncast(node, to: CallbackNode<Value>.self)
      let callback = node.callback
      node.callback = nil
      callback?(unsafeDowncast(source, to: Future<Value>.self).completedResult)
      return false
    }
  }
}
