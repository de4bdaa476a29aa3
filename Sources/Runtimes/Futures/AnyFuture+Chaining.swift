import RuntimeSupport
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

extension AnyFuture {
  /// Completes the future with `CancellationError` unless it is complete, which it is afterwards, and tells the producer to
  /// stop.
  ///
  /// So is each future that it was made from and that nobody else waits for, up to the promise, whose cancel handler is
  /// called on this thread. A callback of `whenComplete` never stops waiting. Callbacks are called after the producers
  /// have been told: on this thread or, if a future is being started at this moment for a combination or a chain, on the
  /// thread that does that, once the new one is cancelled too.
  public final func cancel() {
    if let old = settle(as: cancellingWord) {
      Cancellation(before: old, source: takeSource()).finish(self)
    } else {
      awaitCompletion()
    }
  }

  /// Changes the state of a future that is not settled, as long as the condition holds.
  /// - Returns: the state before, nil if nothing was changed.
  @inlinable @inline(__always)
  final func settle(as bits: UInt, if condition: (StateWord) -> Bool = { _ in true }) -> StateWord? {
    change { !$0.isSettled && condition($0) ? bits : nil }
  }

  /// What the state becomes when a cancellation is won: a future without a source has none to take hold of.
  final var cancellingWord: UInt {
    source.load(ordering: .relaxed) == 0 ? StateWord.cancelled : StateWord.cancelling
  }

  /// Takes hold of the source and ends the cancelling. Only for the winner, and the first thing it does: others wait.
  /// The source is alive: it is pending, or the thread that delivers its completion waits in this node's step.
  final func takeSource() -> AnyFuture? {
    guard word(.relaxed).bits == StateWord.cancelling else { return nil }
    let address = source.exchange(0, ordering: .acquiringAndReleasing)
    let taken = Unmanaged<AnyFuture>.at(address).takeUnretainedValue()
    keepRetainsAhead()
    state.store(StateWord.cancelled, ordering: .releasing)
    return taken
  }

  /// Withdraws a complete observer, and cancels this future if nobody else waits for it. Then, once all that was to be told
  /// of that has been, does something.
  final func withdrawAndCancel(_ observer: AnyFuture, then action: (@Sendable () -> Void)? = nil) {
    if let cancellation = withdraw(observer) {
      cancellation.finish(self, then: action)
    } else {
      action?()
    }
  }
}

/// A cancellation that has been won.
struct Cancellation {
  /// The state before.
  let before: StateWord
  /// What the future was waiting for, if that is one.
  let source: AnyFuture?

  /// Withdraws from the source and, in a loop so that a chain of any length is safe, cancels what only this future was
  /// waiting for. Producers learn of it before observers do.
  func finish(_ future: AnyFuture, then action: (@Sendable () -> Void)? = nil) {
    var cancellation = self
    var future = future
    var told = PendingDeliveries(then: action)
    while true {
      let waiters = future.takeWaiters(of: cancellation.before)
      if waiters != .nobody { told.append(future, waiters) }
      if future.cancelSources(thenTell: told) { return }
      guard let source = cancellation.source, let next = source.withdraw(future) else { break }
      (future, cancellation) = (source, next)
    }
    told.deliver()
  }
}

/// Complete futures whose observers have not been told yet, and an action for when they have been.
@usableFromInline
struct PendingDeliveries: Sendable {
  private struct Told {
    let future: AnyFuture
    let waiters: StateWord
  }

  private var told: [Told] = []
  private let action: (@Sendable () -> Void)?

  init(then action: (@Sendable () -> Void)? = nil) { self.action = action }

  mutating func append(_ future: AnyFuture, _ waiters: StateWord) {
    told.append(Told(future: future, waiters: waiters))
  }

  /// Tells everybody: the futures nearest to the producers first.
  @usableFromInline
  func deliver() {
    for told in told.reversed() { told.future.deliver(told.waiters) }
    // The action may be that of a combination within another, which then delivers in turn.
    if let action { DeliveryQueue.current.cancelInTurn(action) }
  }
}
