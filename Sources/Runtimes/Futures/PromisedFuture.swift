import RuntimeTiming
import Synchronization

/// The future of a promise. It has a slot for a first cancel handler, so that it needs no node.
///
/// `@unchecked Sendable`: `cancelHandler` belongs to the taker of its slot until `isHandlerReady`, then to the
/// thread that completes the future.
@usableFromInline
final class PromisedFuture<Value: Sendable>: Future<Value>, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var cancelHandler: (@Sendable () -> Void)?

  @inlinable
  init() {
    super.init(role: .promised) { node, _ in
      unsafeDowncast(node, to: Future<Value>.self).runCallback()
    }
  }

  /// Keeps what the producer wants done on cancellation. Called on the cancelling thread, or at once.
  @usableFromInline
  func setCancelHandler(_ handler: consuming @escaping @Sendable () -> Void) {
    if takeSlot(StateWord.handler, if: { !$0.has(StateWord.handler) }) {
      cancelHandler = consume handler
      keepRetainsAhead()
      isHandlerReady.store(true, ordering: .releasing)
    } else {
      connect(CancelHandlerNode(consume handler))
    }
  }

  @usableFromInline
  override func takeCancelHandler() {
    if !isHandlerReady.load(ordering: .acquiring) {
      SpinWait.until { isHandlerReady.load(ordering: .acquiring) }
    }
    let handler = cancelHandler
    cancelHandler = nil
    if isCancelled { handler?() }
  }
}

/// A cancel handler beyond the first.
private final class CancelHandlerNode: AnyFuture, @unchecked Sendable {
  private let handler: @Sendable () -> Void

  init(_ handler: @escaping @Sendable () -> Void) {
    self.handler = handler
    super.init(role: .passive) { node, source in
      if source.isCancelled { unsafeDowncast(node, to: CancelHandlerNode.self).handler() }
      return .nobody
    }
  }
}
