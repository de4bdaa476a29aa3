import RuntimeSupport
import Synchronization

extension AnyFuture {
  /// Whether this future still has to react to its source. If not, waits until the cancelling thread has retained the source.
  @inlinable final var isOpenForStep: Bool {
    if !word(.relaxed).isSettled { return true }
    awaitCompletion()
    return false
  }

  // The bits of `starting`. The step starts the next work, such as the future that a `flatMap` function returns.
  private static var isStarting: UInt8 { 1 }
  private static var hasStarted: UInt8 { 2 }
  /// The future was cancelled.
  private static var isLeft: UInt8 { 4 }

  /// Marks the beginning of the step. Returns false if the future is already cancelled.
  @usableFromInline final func beginStarting() -> Bool {
    starting.bitwiseOr(Self.isStarting, ordering: .acquiringAndReleasing).oldValue & Self.isLeft == 0
  }

  /// Whether the next work has been started, so that its future is now the source.
  @usableFromInline final var isStarted: Bool { starting.load(ordering: .acquiring) & Self.hasStarted != 0 }

  /// Marks the end of the step. If the future was cancelled during the step, returns the deliveries that the cancelling thread
  /// has left to this one.
  @usableFromInline final func endStarting() -> PendingDeliveries? {
    let before = starting.bitwiseOr(Self.hasStarted, ordering: .acquiringAndReleasing).oldValue
    return before & Self.isLeft == 0 ? nil : takeLeftToStep()
  }

  /// Marks the future as cancelled and returns how far its step has come. Only the cancelling thread calls this.
  final func reachedByStep() -> StepProgress {
    switch starting.bitwiseOr(Self.isLeft, ordering: .acquiringAndReleasing).oldValue {
    case 0: .notBegun
    case Self.isStarting: .starting
    default: .started
    }
  }

  enum StepProgress {
    /// The step has not begun and will not start the next work.
    case notBegun
    /// The step is running. Its thread delivers the cancellation.
    case starting
    case started
  }

  /// Makes this future wait for `inner`, the future that its step has made. `inner` then owns the step's reference to this one.
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

  /// Makes the observer of this future wait for `inner` directly, so that a recursive `flatMap` needs constant memory. Works
  /// only if the running step has the only reference to this future, whose only observer is a `chaining` one.
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
  /// Runs a step outside of a delivery, such as on a dispatch queue. Releases this reference unless the step keeps it.
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

  /// Changes the state to `bits` if the future is not settled and the condition holds. Returns the previous state, or `nil` if
  /// the state was not changed.
  @inlinable @inline(__always)
  final func settle(as bits: UInt, if condition: (StateWord) -> Bool = { _ in true }) -> StateWord? {
    change { !$0.isSettled && condition($0) ? bits : nil }
  }

  /// The state that a cancelling thread sets. A future with a source is first `cancelling`, until `takeSource`.
  final var cancellingWord: UInt {
    source.load(ordering: .relaxed) == 0 ? StateWord.cancelled : StateWord.cancelling
  }

  /// Retains the source and ends the state `cancelling`. The cancelling thread calls this at once, because other threads wait.
  /// Invariant: the source is alive, because it is pending, or its completing thread waits in this future's step.
  final func takeSource() -> AnyFuture? {
    guard word(.relaxed).bits == StateWord.cancelling else { return nil }
    let address = source.exchange(0, ordering: .acquiringAndReleasing)
    let taken = Unmanaged<AnyFuture>.at(address).takeUnretainedValue()
    keepRetainsAhead()
    state.store(StateWord.cancelled, ordering: .releasing)
    return taken
  }

  /// Removes a complete observer, cancels this future if it has no other waiters, then runs the action.
  final func withdrawAndCancel(_ observer: AnyFuture, then action: (@Sendable () -> Void)? = nil) {
    if let cancellation = withdraw(observer) {
      cancellation.finish(self, then: action)
    } else {
      action?()
    }
  }
}

/// The rest of a cancellation, for the thread that has set the cancelled state of a future.
struct Cancellation {
  /// The state before the cancellation.
  let before: StateWord
  /// The future that the cancelled future was waiting for, if any.
  let source: AnyFuture?

  /// Removes the future from its source and cancels each source that only this future was waiting for. Then notifies the
  /// waiters. A loop, not a recursion, so that a chain of any length runs in constant stack.
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

/// Complete futures whose observers have not been notified, and an action to run after they are.
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
    // The action may end a combination, which may end the one around it, and so on. The queue limits how deep the calls nest.
    if let action { DeliveryQueue.current.cancelInTurn(action) }
  }
}
