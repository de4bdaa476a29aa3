import Dispatch
import RuntimeTiming
import Synchronization

extension Future {
  /// Calls back once with the outcome, inline.
  @inlinable
  public final func whenComplete(
    _ callback: consuming @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    if takeSlot(StateWord.callback, if: { $0.isUnobserved }) {
      self.callback = consume callback
      keepRetainsAhead()
      isCallbackReady.store(true, ordering: .releasing)
    } else {
      connect(CallbackNode(consume callback))
    }
  }

  /// Calls the callback in the slot. Part of every step: a node that is given itself as the source is to do this.
  @inlinable
  final func runCallback() -> StateWord {
    // Not `take()`: passing a closure as a generic value wraps it in a thunk that is allocated.
    guard let callback else { return .nobody }
    self.callback = nil
    callback(completedResult)
    return .nobody
  }

  /// Calls back once with the outcome, on a queue.
  @inlinable
  public final func whenComplete(
    on queue: DispatchQueue, _ callback: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    whenComplete { result in queue.async { callback(result) } }
  }
}

/// A callback on a future that is complete or has an observer already.
///
/// `@unchecked Sendable`: only the node's step touches `callback`.
@usableFromInline
final class CallbackNode<Value: Sendable>: AnyFuture, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline
  var callback: (@Sendable (Result<Value, any Error>) -> Void)?

  @inlinable
  init(_ callback: @escaping @Sendable (Result<Value, any Error>) -> Void) {
    self.callback = callback
    super.init(role: .observer) { node, source in
      let node = unsafeDowncast(node, to: CallbackNode<Value>.self)
      // Not `take()`: passing a closure as a generic value wraps it in a thunk that is allocated.
      guard let callback = node.callback else { return .nobody }
      node.callback = nil
      callback(unsafeDowncast(source, to: Future<Value>.self).completedResult)
      return .nobody
    }
  }
}
