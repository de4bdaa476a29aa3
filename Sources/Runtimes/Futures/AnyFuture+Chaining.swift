import RuntimeSupport
import Synchronization

extension AnyFuture {
  /// Whether the step of this node still has something to do; if not, the canceller has released the source.
  @inlinable final var isOpenForStep: Bool {
    if !word(.relaxed).isSettled { return true }
    awaitCompletion()
    return false
  }

  /// The step that starts the next work is running.
  private static var isStarting: UInt8 { 1 }
  private static var hasStarted: UInt8 { 2 }
  /// The node has been cancelled.
  private static var isLeft: UInt8 { 4 }

  /// Begins the part of a chaining node's step that starts the next work; false if the node was cancelled before. A later
  /// cancellation is delivered by `endStarting`, when the started work is cancelled.
  @usableFromInline final func beginStarting() -> Bool {
    starting.bitwiseOr(Self.isStarting, ordering: .acquiringAndReleasing).oldValue & Self.isLeft == 0
  }

  /// Whether the next work has been started, so that the next source is the future that the function returned.
  @usableFromInline final var isStarted: Bool { starting.load(ordering: .acquiring) & Self.hasStarted != 0 }

  /// Ends that part. Returns the deliveries that a canceller has left to this thread; nil if the node was not cancelled.
  @usableFromInline final func endStarting() -> PendingDeliveries? {
    let before = starting.bitwiseOr(Self.hasStarted, ordering: .acquiringAndReleasing).oldValue
    return before & Self.isLeft == 0 ? nil : takeLeftToStep()
  }

  /// How far the step that starts the next work has come. Only for the canceller.
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
    /// It is running, and delivers the cancellation.
    case starting
    case started
  }

  /// Makes a chaining node wait for the future that its step has made, and keeps the step's reference for it.
  @usableFromInline final func wait(for inner: AnyFuture, after previous: AnyFuture) -> StateWord {
    if isUnshared, replaceAsSource(by: inner) { return .noWaiters }
    let (exchanged, _) = source.compareExchange(
      expected: previous.address, desired: inner.address, ordering: .acquiringAndReleasing)
    guard exchanged else {
      awaitCompletion()
      inner.withdrawAndCancel(self)
      endStarting()?.deliver()
      return .noWaiters
    }
    if let left = endStarting() {
      awaitCompletion()
      inner.withdrawAndCancel(self) { left.deliver() }
      return .noWaiters
    }
    return inner.attach(Unmanaged.passUnretained(self)) ? .referenceKept : step(self, inner)
  }

  /// Makes the observer of this node wait for `inner` itself, so that a recursion that ends by returning the next round's
  /// future stays in constant memory. Only for a node that nothing but the running delivery refers to, and only if its one
  /// observer is a chaining node, which has the same outcome.
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
    // A weak reference still reaches this node, and must find it cancelled.
    if let old = settle(as: StateWord.cancelled) { deliverWaiters(of: old) }
    endStarting()?.deliver()
    if !inner.attach(outer.target) { outer.target.runStep { $0.step($0, inner) } }
    return true
  }
}

extension Unmanaged where Instance == AnyFuture {
  /// Runs a step outside a delivery, and releases this reference to the node unless the step keeps it.
  @usableFromInline func runStep(_ step: (AnyFuture) -> StateWord) {
    noteWhetherShared()
    let waiters = _withUnsafeGuaranteedRef(step)
    if waiters == .referenceKept { return }
    _withUnsafeGuaranteedRef { $0.deliver(waiters) }
    release()
  }
}

extension AnyFuture {
  /// Completes the future with `CancellationError`, if it is not complete, and cancels its producer.
  ///
  /// Cancels each future that only this one waits for, up to the promise, and calls the promise's cancel handler on this
  /// thread. Callbacks run after the producers are cancelled: on this thread or, if a combination or a chain is starting a
  /// future at this moment, on the thread that starts it, once the new future is cancelled, too.
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

  /// The next state when a cancellation is won: a future without a source skips `cancelling`.
  final var cancellingWord: UInt {
    source.load(ordering: .relaxed) == 0 ? StateWord.cancelled : StateWord.cancelling
  }

  /// Retains the source and ends `cancelling`. Only for the winner, and its first step: other threads wait.
  /// The source is alive: it is pending, or the thread that delivers its completion waits in this node's step.
  final func takeSource() -> AnyFuture? {
    guard word(.relaxed).bits == StateWord.cancelling else { return nil }
    let address = source.exchange(0, ordering: .acquiringAndReleasing)
    let taken = Unmanaged<AnyFuture>.at(address).takeUnretainedValue()
    keepRetainsAhead()
    state.store(StateWord.cancelled, ordering: .releasing)
    return taken
  }

  /// Withdraws a complete observer, cancels this future if it has no other waiters, and runs the action when all deliveries of
  /// that are done.
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
  /// The future that the cancelled one was waiting for, if any.
  let source: AnyFuture?

  /// Withdraws from the source and cancels what only this future was waiting for: producers before observers, and in a loop, so
  /// that a chain of any length needs no stack.
  func finish(_ future: AnyFuture, then action: (@Sendable () -> Void)? = nil) {
    var cancellation = self
    var future = future
    var deliveries = PendingDeliveries(then: action)
    while true {
      let waiters = future.takeWaiters(of: cancellation.before)
      if waiters != .noWaiters { deliveries.append(future, waiters) }
      if future.cancelSources(thenDeliver: deliveries) { return }
      guard let source = cancellation.source, let next = source.withdraw(future) else { break }
      (future, cancellation) = (source, next)
    }
    deliveries.deliver()
  }
}

/// Complete futures whose observers have not been notified, and an action to run after that.
@usableFromInline struct PendingDeliveries: Sendable {
  private struct Delivery {
    let future: AnyFuture
    let waiters: StateWord
  }

  private var deliveries: [Delivery] = []
  private let action: (@Sendable () -> Void)?

  init(then action: (@Sendable () -> Void)? = nil) { self.action = action }

  mutating func append(_ future: AnyFuture, _ waiters: StateWord) {
    deliveries.append(Delivery(future: future, waiters: waiters))
  }

  /// Notifies all observers: the futures nearest to the producers first.
  @usableFromInline func deliver() {
    for delivery in deliveries.reversed() { delivery.future.deliver(delivery.waiters) }
    // A combination within another one delivers in its action, in turn.
    if let action { DeliveryQueue.current.cancelInTurn(action) }
  }
}
