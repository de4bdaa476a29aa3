import RuntimeTiming
import Synchronization

/// One performance of a task: what `perform` returns, and what cancels it.
///
/// `@unchecked Sendable`: `cancelHandler` belongs to the holder of the `handlerBusy` flag while the run goes on,
/// and afterwards to the thread that ended it, or to the one that was writing it then.
public class TaskRun: @unchecked Sendable {
  @usableFromInline static let ended = 1
  @usableFromInline static let cancelled = 2
  @usableFromInline static let handlerBusy = 4
  @usableFromInline static let handlerReady = 8

  @usableFromInline final let state = Atomic<Int>(0)
  @exclusivity(unchecked) @usableFromInline final var cancelHandler: (@Sendable () -> Void)?

  @inlinable
  init() {}

  /// Whether the run has been cancelled. A long-running closure looks at it to stop early.
  @inlinable
  public final var isCancelled: Bool { state.load(ordering: .acquiring) & Self.cancelled != 0 }

  /// Whether the run has its outcome. Nothing changes it afterwards.
  @inlinable
  public final var isEnded: Bool { state.load(ordering: .acquiring) & Self.ended != 0 }

  /// Ends the run with `CancellationError` unless it has ended: first the cancel handler is called, then the
  /// completion, both on this thread. A closure that has not begun on its queue does not run any more.
  public final func cancel() {
    guard let old = end(marking: Self.ended | Self.cancelled) else { return }
    if old & Self.handlerReady != 0 {
      let handlers = cancelHandler
      cancelHandler = nil
      handlers?()
    }
    complete(cancellation: CancellationError())
  }

  /// Wins the right to end the run.
  /// - Returns: the state before, or nil if the run had ended.
  @inlinable
  final func end(marking flags: Int) -> Int? {
    var current = state.load(ordering: .relaxed)
    while current & Self.ended == 0 {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current, desired: current | flags,
        successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged {
        // A busy handler is the business of the thread that is writing it.
        return current & Self.handlerBusy != 0 ? current & ~Self.handlerReady : current
      }
      current = original
    }
    return nil
  }

  /// Tells the completion of the cancellation. Called once, by the winner.
  func complete(cancellation: CancellationError) {}

  /// Calls the handler once if the run is cancelled, so that the work can stop.
  ///
  /// Called on the cancelling thread, before the completion; at once if the run is cancelled already; never
  /// after another end, which releases it. Handlers add up, and are called in order.
  public final func onCancel(_ handler: @escaping @Sendable () -> Void) {
    var current = state.load(ordering: .acquiring)
    while current & Self.ended == 0 {
      if current & Self.handlerBusy != 0 {
        // The holder of the flag is a few stores from giving it back.
        yieldProcessor()
        current = state.load(ordering: .acquiring)
        continue
      }
      let (exchanged, original) = state.weakCompareExchange(
        expected: current, desired: current | Self.handlerBusy,
        successOrdering: .acquiring, failureOrdering: .acquiring)
      if exchanged {
        addHandler(handler)
        return
      }
      current = original
    }
    if current & Self.cancelled != 0 { handler() }
  }

  /// Writes the handler and gives the flag back. Only for the holder of the flag.
  private final func addHandler(_ handler: @escaping @Sendable () -> Void) {
    if let first = cancelHandler {
      cancelHandler = {
        first()
        handler()
      }
    } else {
      cancelHandler = handler
    }
    var current = state.load(ordering: .relaxed)
    while current & Self.ended == 0 {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current, desired: (current & ~Self.handlerBusy) | Self.handlerReady,
        successOrdering: .releasing, failureOrdering: .acquiring)
      if exchanged { return }
      current = original
    }
    // The run has ended meanwhile and left the handlers to this thread.
    let handlers = cancelHandler
    cancelHandler = nil
    if current & Self.cancelled != 0 { handlers?() }
  }
}
