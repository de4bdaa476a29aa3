import RuntimeTiming
import Synchronization

/// One performance of a task: what `perform` returns, and what cancels it.
///
/// `@unchecked Sendable`: `cancelHandler` belongs to the one who took its slot until `isHandlerReady`, then to the
/// thread that ends the run. `laterHandlers` and `part` belong to the holder of the `busy` flag while the run goes
/// on, and afterwards to the thread that ended it, once the flag is clear; `laterHandlers` then to the last step, if
/// telling of a cancellation is left to that.
public class TaskRun: TaskPart, @unchecked Sendable {
  @usableFromInline static let ended: UInt8 = 1
  @usableFromInline static let cancelled: UInt8 = 2
  /// The slot of the first cancel handler is taken.
  @usableFromInline static let handler: UInt8 = 4
  /// A thread is changing what is behind the first handler.
  @usableFromInline static let busy: UInt8 = 8
  /// There is something behind the first handler.
  @usableFromInline static let more: UInt8 = 16

  @usableFromInline final let state = Atomic<UInt8>(0)
  @usableFromInline final let isHandlerReady = Atomic<Bool>(false)
  /// How many steps are under way, and whether telling of a cancellation is left to the last.
  @usableFromInline final let steps = Atomic<UInt32>(0)
  @exclusivity(unchecked) @usableFromInline final var cancelHandler: (@Sendable () -> Void)?
  @exclusivity(unchecked) final var laterHandlers: [@Sendable () -> Void] = []
  /// What this run is waiting for.
  @exclusivity(unchecked) final var part: TaskPart?

  @inlinable
  override init() { super.init() }

  /// Whether the run has been cancelled. A long-running closure looks at it to stop early.
  @inlinable
  public final var isCancelled: Bool { state.load(ordering: .acquiring) & Self.cancelled != 0 }

  /// Whether the run has its outcome. Nothing changes it afterwards.
  @inlinable
  public final var isEnded: Bool { state.load(ordering: .acquiring) & Self.ended != 0 }

  /// Wins the right to end the run.
  /// - Returns: the state before, or nil if the run had ended.
  @inlinable
  final func end(marking flags: UInt8) -> UInt8? {
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

  /// Lets go of what was to be done on cancellation. Only for the one who has ended the run otherwise.
  @usableFromInline
  final func dropHandlers(after old: UInt8) {
    if old & Self.handler != 0 { _ = takeHandler() }
    guard old & Self.more != 0 else { return }
    if old & Self.busy != 0 {
      SpinWait.until { state.load(ordering: .acquiring) & Self.busy == 0 }
    }
    laterHandlers = []
    part = nil
  }

  /// Tells the completion of the cancellation. Called once, by the winner.
  func complete(cancellation: CancellationError) {}

  override func cancelPart(for cancelled: inout CancelledRuns) -> TaskPart? {
    guard let old = end(marking: Self.ended | Self.cancelled) else { return nil }
    cancelled.runs.append(self)
    if old & Self.handler != 0 { takeHandler()?() }
    guard old & Self.more != 0 else { return nil }
    if old & Self.busy != 0 {
      SpinWait.until { state.load(ordering: .acquiring) & Self.busy == 0 }
    }
    let handlers = laterHandlers
    laterHandlers = []
    for handler in handlers { handler() }
    return part.take()
  }
}
