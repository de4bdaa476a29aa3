import RuntimeSupport
import Synchronization

extension AnyFuture {
  /// Whether this future must still react to its source. If not, waits until the cancelling thread has retained the source.
  @inlinable final var isOpenForStep: Bool {
    if !word(.relaxed).isSettled { return true }
    awaitCompletion()
    return false
  }

  // Bits of `starting`, which says how far this future has started its second source: the future of its `flatMap` function.
  private static var isStarting: UInt8 { 1 }
  private static var hasStarted: UInt8 { 2 }
  /// The future was cancelled.
  private static var isLeft: UInt8 { 4 }

  /// Marks that this future begins to start its second source. Returns false if this future is already cancelled.
  @usableFromInline final func beginStarting() -> Bool {
    starting.bitwiseOr(Self.isStarting, ordering: .acquiringAndReleasing).oldValue & Self.isLeft == 0
  }

  /// Whether this future has started its second source, and now waits for that.
  @usableFromInline final var isStarted: Bool { starting.load(ordering: .acquiring) & Self.hasStarted != 0 }

  /// Marks that this future has started its second source. If the future was cancelled meanwhile, returns the notifications
  /// that the cancelling thread has left to this one.
  @usableFromInline final func endStarting() -> PendingDeliveries? {
    let before = starting.bitwiseOr(Self.hasStarted, ordering: .acquiringAndReleasing).oldValue
    return before & Self.isLeft == 0 ? nil : takeLeftToStep()
  }

  /// Marks the future as cancelled and returns how far it has started its second source. Only the cancelling thread calls this.
  final func reachedByStep() -> StepProgress {
    switch starting.bitwiseOr(Self.isLeft, ordering: .acquiringAndReleasing).oldValue {
    case 0: .notBegun
    case Self.isStarting: .starting
    default: .started
    }
  }

  enum StepProgress {
    /// The second source has not been started and will not be.
    case notBegun
    /// Another thread is starting the second source. That thread delivers the cancellation.
    case starting
    case started
  }

  /// Makes this future wait for `inner`, which its `flatMap` function returned. `inner` takes over the caller's reference.
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

  /// Makes the observer of this future wait for `inner` directly, so that a recursive `flatMap` needs constant memory. Returns
  /// false if there are other references to this future, or if its only observer is not a `chaining` one.
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
    // This future must look cancelled to objects that refer weakly to it.
    if let old = settle(as: StateWord.cancelled) { deliverWaiters(of: old) }
    endStarting()?.deliver()
    if !inner.attach(outer.target) { outer.target.runStep { $0.step($0, inner) } }
    return true
  }
}

extension Unmanaged where Instance == AnyFuture {
  /// Runs a future's reaction to its source outside of a notification. Releases this reference unless `step` keeps it.
  @usableFromInline func runStep(_ step: (AnyFuture) -> StateWord) {
    noteWhetherShared()
    let waiters = _withUnsafeGuaranteedRef(step)
    if waiters == .referenceKept { return }
    _withUnsafeGuaranteedRef { $0.deliver(waiters) }
    release()
  }
}

extension AnyFuture {
  /// Completes the future with `CancellationError` and cancels its producer. Does nothing if the future is complete.
  ///
  /// Also cancels each source that only this future waits for, up to the promise, and calls the promise's cancel handler. All
  /// callbacks run after that. All this happens on the calling thread. But if another thread is just starting a future for a
  /// combination or a chain, that thread cancels the new future and then runs the callbacks.
  public final func cancel() {
    if let old = settle(as: cancellingWord) {
      Cancellation(before: old, source: takeSource()).finish(self)
    } else {
      awaitCompletion()
    }
  }

  /// Changes the state to `bits` if the future is pending and the condition holds. Returns the previous state, or `nil` if the
  /// state was not changed.
  @inlinable @inline(__always)
  final func settle(as bits: UInt, if condition: (StateWord) -> Bool = { _ in true }) -> StateWord? {
    change { !$0.isSettled && condition($0) ? bits : nil }
  }

  /// The state that a cancelling thread sets: `cancelled`, or first `cancelling` if `takeSource` must retain a source.
  final var cancellingWord: UInt {
    source.load(ordering: .relaxed) == 0 ? StateWord.cancelled : StateWord.cancelling
  }

  /// Retains the future's source and changes the state from `cancelling` to `cancelled`. Other threads wait for this change.
  /// Invariant: the source is alive, because it is pending, or because the thread that completes it waits for this change.
  final func takeSource() -> AnyFuture? {
    guard word(.relaxed).bits == StateWord.cancelling else { return nil }
    let address = source.exchange(0, ordering: .acquiringAndReleasing)
    let taken = Unmanaged<AnyFuture>.at(address).takeUnretainedValue()
    keepRetainsAhead()
    state.store(StateWord.cancelled, ordering: .releasing)
    return taken
  }

  /// Removes an observer that is complete. If nothing else waits for this future, cancels this future. Then runs the action.
  final func withdrawAndCancel(_ observer: AnyFuture, then action: (@Sendable () -> Void)? = nil) {
    if let cancellation = withdraw(observer) {
      cancellation.finish(self, then: action)
    } else {
      action?()
    }
  }
}

/// What remains to be done by the thread that has set a future's state to cancelled.
struct Cancellation {
  /// The state of the future before the cancellation.
  let before: StateWord
  /// The future that the cancelled future was waiting for, if any.
  let source: AnyFuture?

  /// Removes the future from its source and cancels each source that only this future was waiting for. Then notifies the
  /// waiters of all these futures. A loop, not a recursion, so that a chain of any length runs in constant stack.
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

/// Complete futures whose observers have not been notified, and an action to run after the notifications.
@usableFromInline struct PendingDeliveries: Sendable {
  private var deliveries: [(future: AnyFuture, waiters: StateWord)] = []
  private let action: (@Sendable () -> Void)?

  init(then action: (@Sendable () -> Void)? = nil) { self.action = action }

  mutating func append(_ future: AnyFuture, _ waiters: StateWord) {
    deliveries.append((future, waiters))
  }

  /// Notifies all observers, first those of the futures that are nearest to the promise.
  @usableFromInline func deliver() {
    for delivery in deliveries.reversed() { delivery.future.deliver(delivery.waiters) }
    // The action may end a combination of futures, which may end the one around it, and so on. The queue limits this nesting.
    if let action { DeliveryQueue.current.cancelInTurn(action) }
  }
}
