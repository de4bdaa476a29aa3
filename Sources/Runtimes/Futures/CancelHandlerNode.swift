/// A cancel handler beyond the first, which has a slot in the future itself.
final class CancelHandlerNode: AnyFuture, @unchecked Sendable {
  private let handler: @Sendable () -> Void

  init(_ handler: @escaping @Sendable () -> Void) {
    self.handler = handler
    super.init(isPassive: true) { node, source in
      if source.isCancelled { unsafeDowncast(node, to: CancelHandlerNode.self).handler() }
      return false
    }
  }
}
