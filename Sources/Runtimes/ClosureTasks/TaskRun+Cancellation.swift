import RuntimeSupport
import Synchronization

extension TaskRun {
  /// Ends the run with `CancellationError` unless it has ended: first the cancel handlers are called, down to the part that
  /// is running, then the completions, from there up, all on this thread. A closure that has not begun never does.
  ///
  /// If a part of a group or the next step of a chain is being started at this moment, on another thread or by whoever
  /// calls this, the thread that starts it calls the completions, once it is cancelled too.
  public final func cancel() { cancel(then: nil) }

  /// Does something when all that was to be told of the cancellation has been; at once if the run has ended.
  final func cancel(then action: (@Sendable () -> Void)?) {
    var cancelled = CancelledRuns(action: action)
    var next: TaskPart? = self
    while let part = next { next = part.cancelPart(for: &cancelled) }
    cancelled.tell()
  }

  /// Calls the handler once if the run is cancelled: on the cancelling thread, before the completion; at once if that has
  /// happened. Any other end releases it. Handlers add up, and are called in order.
  @inlinable
  public final func onCancel(_ handler: consuming @escaping @Sendable () -> Void) {
    if takeHandlerSlot() {
      cancelHandler = consume handler
      keepRetainsAhead()
      isHandlerReady.store(true, ordering: .releasing)
    } else {
      addHandler(consume handler)
    }
  }

  @inlinable
  final func takeHandlerSlot() -> Bool {
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

  /// The handler in the slot, whose owner may still be writing it. Only for the one who has ended the run.
  final func takeHandler() -> (@Sendable () -> Void)? {
    SpinWait.until { isHandlerReady.load(ordering: .acquiring) }
    let handler = cancelHandler
    cancelHandler = nil
    return handler
  }

  /// Keeps a handler beyond the first.
  @usableFromInline
  final func addHandler(_ handler: @escaping @Sendable () -> Void) {
    if !change({ laterHandlers.append(handler) }), isCancelled { handler() }
  }

  /// Says what this run is waiting for from now on; false if the run has ended: the part is not needed then.
  @usableFromInline
  final func setPart(_ part: TaskPart) -> Bool { change { self.part = part } }

  /// Changes what is behind the first handler; false, and nothing is changed, if the run has ended.
  private final func change(_ body: () -> Void) -> Bool {
    var wait = SpinWait()
    var current = state.load(ordering: .acquiring)
    while current & Self.ended == 0 {
      if current & Self.busy != 0 {
        // The holder of the flag is a few stores from giving it back.
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

/// Runs that have been ended by a cancellation and wait to say so, and what is to be done then.
struct CancelledRuns: Sendable {
  /// From the outermost in.
  var runs: [TaskRun] = []
  var action: (@Sendable () -> Void)?

  /// Takes over telling, and leaves nothing to tell.
  mutating func take() -> CancelledRuns {
    defer { self = CancelledRuns() }
    return self
  }

  /// Calls the completions, the last run's first; not before the steps that these runs are in have returned, so that
  /// nothing is started after it: the last of them does it then, on its thread.
  func tell() {
    for run in runs where run.leaveToSteps(self) { return }
    for run in runs.reversed() { run.complete(cancellation: CancellationError()) }
    action?()
  }
}
