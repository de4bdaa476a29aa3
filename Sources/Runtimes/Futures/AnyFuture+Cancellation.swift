import Synchronization

extension AnyFuture {
  /// Completes the future with `CancellationError` unless it is complete, and tells the producer to stop.
  ///
  /// The request travels up: a future that was made from others withdraws from them, and one that nobody
  /// else waits for is cancelled in turn, up to the promise, whose cancel handler is called on this thread.
  /// A future that others still wait for goes on; a callback registered with `whenComplete` waits for ever.
  /// Callbacks of everything that was cancelled are called as for any other error.
  public final func cancel() {
    var current = word(.acquiring)
    while !current.isClaimedOrComplete {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: StateWord.cancelled,
        successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
      if exchanged { return finishCancelling(after: current) }
      current = StateWord(bits: original)
    }
  }

  /// What follows from winning the cancellation of this future and, in a loop so that a chain of any length
  /// is safe, of the futures that it alone was waiting for. Producers learn of it before observers do.
  private final func finishCancelling(after old: StateWord) {
    var old = old
    var node = self
    var toldLater: [AnyFuture] = []
    while true {
      node.cancelWork()
      let upstream = node.upstream.take()
      if node.prepareDelivery(after: old) { toldLater.append(node) }
      guard let upstream, let next = upstream.withdraw(node) else { break }
      (node, old) = (upstream, next)
    }
    for node in toldLater.reversed() { node.deliver() }
  }

  /// Withdraws a complete observer, for a node that has several upstreams.
  @usableFromInline
  final func withdrawAndCancel(_ observer: AnyFuture) {
    if let old = withdraw(observer) { finishCancelling(after: old) }
  }

  /// Keeps what the producer wants done on cancellation. Called on the cancelling thread, or at once.
  final func setCancelHandler(_ handler: @escaping @Sendable () -> Void) {
    guard lockSlots(for: StateWord.handlerReady) else {
      return connect(CancelHandlerNode(handler))
    }
    cancelHandler = handler
    if !unlockSlots(marking: StateWord.handlerReady) { takeCancelHandler() }
  }

  /// Ends the life of the cancel handler of a complete future: calls it if the end is a cancellation.
  final func takeCancelHandler() {
    guard let handler = cancelHandler else { return }
    cancelHandler = nil
    if isCancelled { handler() }
  }
}
