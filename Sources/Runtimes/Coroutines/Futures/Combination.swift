import Synchronization

/// A future of several others: it counts those that are resolved, until one of them decides or all are there.
@usableFromInline final class Combination: Sendable {
  // Invariant: the waiters lie in `waiters`, whose callbacks hold the combination: it goes when the last one is retired.
  // Nobody but the sources touches them, except to withdraw, which the sources' locks order.
  private let sources: [AnyCoFuture]
  nonisolated(unsafe) private let waiters: UnsafeMutablePointer<Waiter>
  private let remaining: Atomic<Int>
  private let isDecided = Atomic<Bool>(false)
  /// Resolves the future if this source is enough.
  private let decide: @Sendable (AnyCoFuture) -> Bool
  /// Resolves it when all are there.
  private let assemble: @Sendable () -> Void

  @usableFromInline init(
    _ sources: [AnyCoFuture], decide: @escaping @Sendable (AnyCoFuture) -> Bool,
    assemble: @escaping @Sendable () -> Void
  ) {
    self.sources = sources
    self.decide = decide
    self.assemble = assemble
    remaining = Atomic(sources.count)
    waiters = .allocate(capacity: sources.count)
  }

  deinit { waiters.deallocate() }

  /// Begins to wait; once. Cancelling the future withdraws from all sources.
  @usableFromInline func start(for future: AnyCoFuture) {
    if sources.isEmpty {
      assemble()
      return
    }
    let callback: @Sendable (AnyCoFuture) -> Void = { self.sourceResolved($0) }
    for index in sources.indices {
      (waiters + index).initialize(to: Waiter(callback: callback, isAlone: false))
    }
    // All are there before the first is registered, because that may end it.
    future.setWithdrawal { [weak self] in self?.withdrawAll() ?? [] }
    for index in sources.indices { sources[index].register(waiters + index) }
  }

  private func sourceResolved(_ source: AnyCoFuture) {
    if isDecided.load(ordering: .relaxed) { return }
    if decide(source) {
      for source in withdrawAll() { source.cancel() }
    } else if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      assemble()
    }
  }

  /// Returns the sources that nobody else waits for, to be cancelled.
  private func withdrawAll() -> [AnyCoFuture] {
    if isDecided.exchange(true, ordering: .acquiringAndReleasing) { return [] }
    return sources.indices.filter { sources[$0].withdraw(waiters + $0) }.map { sources[$0] }
  }
}
