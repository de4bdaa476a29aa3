import Synchronization

extension AnyFuture {
  /// Whether the step of this node still has something to do; if not, the canceller has let go of the source.
  @inlinable
  final var isOpenForStep: Bool {
    if !word(.relaxed).isSettled { return true }
    awaitCompletion()
    return false
  }

  /// The step that starts the next work is under way.
  private static var isStarting: UInt8 { 1 }
  private static var hasStarted: UInt8 { 2 }
  /// The node has been cancelled.
  private static var isLeft: UInt8 { 4 }

  /// Begins the part of a chaining node's step that starts the next work; false if the canceller was here before. A
  /// cancellation from now on is not told before `endStarting`: what is started is cancelled by then.
  @usableFromInline
  final func beginStarting() -> Bool {
    starting.bitwiseOr(Self.isStarting, ordering: .acquiringAndReleasing).oldValue & Self.isLeft == 0
  }

  /// Whether the next work has been started: the source that comes now is the one that the function returned.
  @usableFromInline
  final var isStarted: Bool { starting.load(ordering: .acquiring) & Self.hasStarted != 0 }

  /// Ends it. Returns whom a canceller has left to this thread to tell; nil if nobody has cancelled the node meanwhile.
  @usableFromInline
  final func endStarting() -> PendingDeliveries? {
    let before = starting.bitwiseOr(Self.hasStarted, ordering: .acquiringAndReleasing).oldValue
    return before & Self.isLeft == 0 ? nil : takeLeftToStep()
  }

  /// How far the step is that starts the next work. Only for the canceller.
  final func reachedByStep() -> StepProgress {
    switch starting.bitwiseOr(Self.isLeft, ordering: .acquiringAndReleasing).oldValue {
    case 0: .notBegun
    case Self.isStarting: .starting
    default: .started
    }
  }

  enum StepProgress {
    /// It will never begin.
    case notBegun
    /// It is under way, and is to tell of the cancellation.
    case starting
    case started
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
      endStarting()?.deliver()
      return .nobody
    }
    if let left = endStarting() {
      awaitCompletion()
      inner.withdrawAndCancel(self) { left.deliver() }
      return .nobody
    }
    return inner.attach(Unmanaged.passUnretained(self)) ? .referenceKept : step(self, inner)
  }

  /// Lets the one who waits for this node wait for `inner` itself: a recursion that ends by returning the next round's
  /// future stays in constant memory. Only for a node that nothing but the running delivery refers to, and only if the
  /// one who waits is a chaining node, which has the same outcome.
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
    // Whoever still reaches this node, through a weak reference, finds it cancelled.
    if let old = settle(as: StateWord.cancelled) { tell(old) }
    endStarting()?.deliver()
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
    _withUnsafeGuaranteedRef { $0.deliver(told) }
    release()
  }
}
