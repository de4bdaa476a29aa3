import Synchronization

extension AnyFuture {
  /// Whether the step of this node still has something to do; if not, the canceller has let go of the source.
  @inlinable
  final var isOpenForStep: Bool {
    if !word(.relaxed).isSettled { return true }
    awaitCompletion()
    return false
  }

  /// Lets a chaining node wait for the future that its step has made, and keeps the step's reference for it.
  @usableFromInline
  final func wait(for inner: AnyFuture, after previous: AnyFuture) -> StateWord {
    if isUnshared, replaceAsSource(by: inner) { return .nobody }
    let (exchanged, _) = source.compareExchange(
      expected: previous.address, desired: inner.address, ordering: .acquiringAndReleasing)
    guard exchanged else {
      awaitCompletion()
      inner.withdrawAndCancel(self)
      return .nobody
    }
    return inner.attach(Unmanaged.passUnretained(self)) ? .referenceKept : step(self, inner)
  }

  /// Lets the one who waits for this node wait for `inner` itself.
  ///
  /// This is what keeps a recursion whose last act is to return the next round's future in constant memory: the
  /// node of a round is gone when the next round begins. Only for a node that nothing but the running delivery
  /// refers to, and only if the one who waits is a chaining node, which has the same outcome.
  private final func replaceAsSource(by inner: AnyFuture) -> Bool {
    let current = word(.acquiring)
    guard current.observers.isNode, !current.has(StateWord.flags), let taken = takeObservers() else {
      return false
    }
    let outer = taken.observers
    let isReplaced =
      outer.isNode
      && outer.target._withUnsafeGuaranteedRef {
        $0.role == .chaining && $0.link.isEnd
          && $0.source.compareExchange(
            expected: address, desired: inner.address, ordering: .acquiringAndReleasing
          ).exchanged
      }
    guard isReplaced else {
      putBack(outer)
      return false
    }
    // Who finds this node through a weak reference finds it cancelled.
    if let old = settle(as: StateWord.cancelled) { tell(old) }
    if !inner.attach(outer.target) { outer.target.runStep { $0.step($0, inner) } }
    return true
  }
}

extension Unmanaged where Instance == AnyFuture {
  /// Runs a step outside a delivery, and lets go of this reference to the node unless the step keeps it.
  @usableFromInline
  func runStep(_ step: (AnyFuture) -> StateWord) {
    noteWhetherShared()
    let told = _withUnsafeGuaranteedRef(step)
    if told == .referenceKept { return }
    if told != .nobody { _withUnsafeGuaranteedRef { $0.deliver(told) } }
    release()
  }
}
