import RuntimeSupport
import Synchronization

/// One run of a task. `perform` returns it, and it can cancel the run.
///
/// `@unchecked Sendable`: `cancelHandler` belongs to the thread that set the flag `handler` until `isHandlerReady`, then to the
/// thread that ends the run. `laterHandlers` and `part` belong to the thread that set the flag `busy` until the run ends, then
/// to the thread that ended it, once the flag is clear. Finally, `laterHandlers` belongs to the step that delivers a
/// cancellation.
public class TaskRun: TaskPart, @unchecked Sendable {
  @usableFromInline static let ended: UInt8 = 1
  @usableFromInline static let cancelled: UInt8 = 2
  /// A flag of `state`: a thread has set `cancelHandler`, or is about to.
  @usableFromInline static let handler: UInt8 = 4
  /// A flag of `state`: a thread is changing `laterHandlers` or `part`.
  @usableFromInline static let busy: UInt8 = 8
  /// A flag of `state`: `laterHandlers` or `part` has been set.
  @usableFromInline static let more: UInt8 = 16

  @usableFromInline final let state = Atomic<UInt8>(0)
  @usableFromInline final let isHandlerReady = Atomic<Bool>(false)
  /// Whether the run is a part of another run. False if `perform` started it.
  @usableFromInline final let isPart: Bool
  /// Twice the number of running calls of `takeStep`, plus 1 if the last of them must deliver a cancellation.
  @usableFromInline final let steps = Atomic<UInt32>(0)
  @exclusivity(unchecked) @usableFromInline final var cancelHandler = CancelHandler()
  @exclusivity(unchecked) @usableFromInline final var laterHandlers: [@Sendable () -> Void] = []
  /// The run, group or timer that this run waits for.
  @exclusivity(unchecked) @usableFromInline final var part: TaskPart?

  @inlinable init(isPart: Bool) {
    self.isPart = isPart
    super.init()
  }

  /// Whether the run has been cancelled. A long-running closure can check it to stop early.
  @inlinable public final var isCancelled: Bool { state.load(ordering: .acquiring) & Self.cancelled != 0 }

  /// Whether the run has its outcome. Nothing changes it afterwards.
  @inlinable public final var isEnded: Bool { state.load(ordering: .acquiring) & Self.ended != 0 }

  /// Claims the end of the run. Returns the previous state, or `nil` if the run had already ended.
  @inlinable final func end(marking flags: UInt8) -> UInt8? {
    var current = state.load(ordering: .relaxed)
    while current & Self.ended == 0 {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current, desired: current | flags,
        successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged { return current }
      current = original
    }
    return nil
  }

  /// Whether the run has ended, and has neither a cancel handler nor a part, nor a running call of `takeStep`.
  @inlinable final var hasLeftNothing: Bool {
    state.load(ordering: .acquiring) == Self.ended && steps.load(ordering: .relaxed) == 0
  }

  /// Resets the run for reuse. Call it only if `hasLeftNothing`, on the only thread that refers to the run.
  @inlinable final func beginAnew() { state.store(0, ordering: .relaxed) }

  /// Releases the cancel handlers and the part. Only the thread that ended the run, other than by cancellation, may call it.
  @usableFromInline final func dropHandlers(after old: UInt8) {
    if old & Self.handler != 0 { endHandler(isCancelled: false) }
    guard old & Self.more != 0 else { return }
    if old & Self.busy != 0 {
      SpinWait.until { state.load(ordering: .acquiring) & Self.busy == 0 }
    }
    laterHandlers = []
    part = nil
  }

  /// Passes the cancellation to the completion. Only the thread that cancelled the run may call it, once.
  func complete(cancellation: CancellationError) {}

  override func cancelPart(for cancelled: inout CancelledRuns) -> TaskPart? {
    guard let old = end(marking: Self.ended | Self.cancelled) else { return nil }
    cancelled.runs.append(self)
    if old & Self.handler != 0 { endHandler(isCancelled: true) }
    guard old & Self.more != 0 else { return nil }
    if old & Self.busy != 0 {
      SpinWait.until { state.load(ordering: .acquiring) & Self.busy == 0 }
    }
    callLaterHandlers()
    return part.take()
  }

  private final func callLaterHandlers() {
    let handlers = laterHandlers
    laterHandlers = []
    for handler in handlers { handler() }
  }
}

extension TaskRun {
  @usableFromInline static var oneStep: UInt32 { 2 }
  /// A flag of `steps`: the last running step must deliver a cancellation.
  @usableFromInline static var leftToSteps: UInt32 { 1 }

  /// Runs a step, a closure that may start work for this run, unless the run has ended. If the run is cancelled meanwhile, its
  /// completion is called after the step, when the work that the step started is cancelled.
  @inlinable final func takeStep(_ body: () -> Void) {
    _ = steps.add(Self.oneStep, ordering: .acquiringAndReleasing)
    if !isEnded { body() }
    let left = steps.subtract(Self.oneStep, ordering: .acquiringAndReleasing).newValue
    if left == Self.leftToSteps { deliverCancellation() }
  }

  /// Makes the last running step call the completions of the cancelled runs. Returns false if no step is running; then none
  /// will begin. Only the thread that has cancelled this run may call it.
  final func leaveToSteps(_ cancelled: CancelledRuns) -> Bool {
    // A read-modify-write and not a load, so that a step that begins later sees that the run has ended.
    var current = steps.bitwiseOr(0, ordering: .acquiringAndReleasing).newValue
    guard current != 0 else { return false }
    laterHandlers = [{ cancelled.deliver() }]
    while current != 0 {
      let (exchanged, original) = steps.weakCompareExchange(
        expected: current, desired: current | Self.leftToSteps,
        successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
      if exchanged { return true }
      current = original
    }
    laterHandlers = []
    return false
  }

  @usableFromInline final func deliverCancellation() {
    // Two steps may get here at the same time. The exchange lets one of them continue.
    guard
      steps.compareExchange(
        expected: Self.leftToSteps, desired: 0, ordering: .acquiringAndReleasing
      ).exchanged
    else { return }
    callLaterHandlers()
  }
}

/// What a run of a task can wait for: another run, a group of runs, or a timer.
///
/// `@unchecked Sendable`: this class has no state, and each subclass explains why its state is safe.
public class TaskPart: @unchecked Sendable {
  @inlinable init() {}

  /// Cancels this part. A run also adds itself to `cancelled`, so that its completion is called later. Returns the part that
  /// the run waits for, which the caller cancels next; `nil` if there is none, or if this part calls the completions itself.
  func cancelPart(for cancelled: inout CancelledRuns) -> TaskPart? { nil }
}

extension TaskRun {
  /// Ends the run with `CancellationError` unless it has ended. On this thread, calls the cancel handlers from this run down to
  /// the running part, then the completions in the opposite order. A closure that has not begun never begins.
  ///
  /// If a part of a group or the next step of a chain is being started at this moment, the starting thread calls the
  /// completions after it has cancelled the new part.
  public final func cancel() { cancel(then: nil) }

  /// Cancels the run. Calls `action` after all completions, or immediately if the run has ended.
  final func cancel(then action: (@Sendable () -> Void)?) {
    var cancelled = CancelledRuns(action: action)
    var next: TaskPart? = self
    while let part = next { next = part.cancelPart(for: &cancelled) }
    cancelled.deliver()
  }

  /// Calls the handler once if the run is cancelled: on the cancelling thread before the completion, or immediately if the run
  /// was already cancelled. Any other end releases the handler. Several handlers are called in order.
  @inlinable public final func onCancel(_ handler: consuming @escaping @Sendable () -> Void) {
    setHandler(CancelClosure(handler)) { $0.call() }
  }

  /// Calls `cancel` with a handle of the work to stop, such as a request, if the run is cancelled.
  @inlinable @inline(__always) public final func onCancel<Handle: Sendable>(
    _ handle: @autoclosure () -> Handle, _ cancel: @escaping @Sendable (Handle) -> Void
  ) {
    setHandler(handle(), cancel)
  }

  @inlinable @inline(__always) final func setHandler<Handle: Sendable>(
    _ handle: consuming Handle, _ cancel: @escaping @Sendable (Handle) -> Void
  ) {
    guard takeHandlerSlot() else { return addHandler(CancelClosure(handle, cancel)) }
    cancelHandler.set(handle, cancel)
    keepRetainsAhead()
    isHandlerReady.store(true, ordering: .releasing)
  }

  @inlinable final func takeHandlerSlot() -> Bool {
    var current = state.load(ordering: .relaxed)
    while current & (Self.ended | Self.handler) == 0 {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current, desired: current | Self.handler,
        successOrdering: .relaxed, failureOrdering: .relaxed)
      if exchanged { return true }
      current = original
    }
    return false
  }

  /// Calls or releases `cancelHandler`, which another thread may still be writing. Called by the thread that ended the run.
  @usableFromInline final func endHandler(isCancelled: Bool) {
    if !isHandlerReady.load(ordering: .acquiring) {
      SpinWait.until { isHandlerReady.load(ordering: .acquiring) }
    }
    cancelHandler.end(isCancelled: isCancelled)
  }

  @usableFromInline final func addHandler(_ handler: CancelClosure) {
    if !change({ laterHandlers.append(handler.call) }), isCancelled { handler.call() }
  }

  /// Sets the part that this run waits for. Returns false if the run has ended.
  @usableFromInline final func setPart(_ part: TaskPart) -> Bool { change { self.part = part } }

  /// Runs `body`, which changes `laterHandlers` or `part`. If the run has ended, returns false and does not run `body`.
  private final func change(_ body: () -> Void) -> Bool {
    var wait = SpinWait()
    var current = state.load(ordering: .acquiring)
    while current & Self.ended == 0 {
      if current & Self.busy != 0 {
        // The thread that has set `busy` clears it a few stores later.
        wait.pause()
        current = state.load(ordering: .acquiring)
        continue
      }
      let (exchanged, original) = state.weakCompareExchange(
        expected: current, desired: current | Self.busy | Self.more,
        successOrdering: .acquiring, failureOrdering: .acquiring)
      if exchanged {
        body()
        state.bitwiseAnd(~Self.busy, ordering: .releasing)
        return true
      }
      current = original
    }
    return false
  }
}

/// Runs that a cancellation has ended and whose completions must be called, and an action to call afterwards.
struct CancelledRuns: Sendable {
  /// The cancelled runs, outermost first.
  var runs: [TaskRun] = []
  var action: (@Sendable () -> Void)?

  mutating func take() -> CancelledRuns {
    defer { self = CancelledRuns() }
    return self
  }

  /// Calls the completions, the innermost run's first. If steps of these runs are still running, the last of them calls the
  /// completions instead, so that nothing is started afterwards.
  func deliver() {
    for run in runs where run.leaveToSteps(self) { return }
    for run in runs.reversed() { run.complete(cancellation: CancellationError()) }
    action?()
  }
}
