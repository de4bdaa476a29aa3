import Synchronization

/// What every future is, whatever its value: it can be complete or not, and it can be cancelled.
///
/// `@unchecked Sendable`: every mutable field has one owner at any time, and ownership moves through `state`
/// with acquire and release ordering.
/// - `storage`, `hasValue`, `error`: the producer that holds the claim (or the one step that runs) until it
///   publishes; immutable afterwards.
/// - `inlineStep`, `inlineReceiver`, the typed callback, `cancelHandler`, `withdrawalsUntilPrune`: the holder
///   of the `slotBusy` flag while pending; after completion the delivering thread, for the slots that were ready.
/// - `next`: whoever inserts the node into a list, then whoever took that list.
/// - `upstream`: written before the node is shared, cleared only by the thread that completes the node.
/// - `observers`, `hasInlineObserver`: the thread that completes the future, then the delivering one.
public class AnyFuture: @unchecked Sendable {
  /// Reacts to `source`, which is complete. Returns whether the node has become complete and has somebody to
  /// tell, in which case the caller flushes it. Called at most once per source.
  @usableFromInline typealias Step = @Sendable (_ node: AnyFuture, _ source: AnyFuture) -> Bool
  @usableFromInline typealias InlineStep = @Sendable (_ source: AnyFuture) -> Void

  @usableFromInline final let state = Atomic<UInt>(StateWord.pending)
  @exclusivity(unchecked) @usableFromInline final var next: Unmanaged<AnyFuture>?
  @exclusivity(unchecked) @usableFromInline final var observers: Unmanaged<AnyFuture>?
  @exclusivity(unchecked) @usableFromInline final var upstream: AnyFuture?
  // A stored function rather than an overridden method: methods of generic classes are not specialised.
  @usableFromInline final let step: Step
  @exclusivity(unchecked) @usableFromInline final var inlineStep: InlineStep?
  @exclusivity(unchecked) @usableFromInline final var inlineReceiver: AnyFuture?
  @exclusivity(unchecked) @usableFromInline final var error: (any Error)?
  @exclusivity(unchecked) @usableFromInline final var hasInlineObserver = false
  @exclusivity(unchecked) @usableFromInline final var hasValue = false
  /// An observer that does not count as somebody who waits: it never keeps its upstream from being cancelled.
  @usableFromInline final let isPassive: Bool
  @exclusivity(unchecked) final var withdrawalsUntilPrune: Int32 = 1
  @exclusivity(unchecked) final var cancelHandler: (@Sendable () -> Void)?

  @inlinable
  init(isPassive: Bool = false, step: @escaping Step) {
    self.step = step
    self.isPassive = isPassive
  }

  /// Whether the result is known. Callbacks may still be on their way.
  @inlinable
  public final var isComplete: Bool { word(.acquiring).isComplete }

  /// Whether the result is a cancellation through `cancel()`, as opposed to an error that the producer gave.
  public final var isCancelled: Bool { word(.acquiring).bits == StateWord.cancelled }

  @inlinable
  final func word(_ ordering: AtomicLoadOrdering) -> StateWord {
    switch ordering {
    case .relaxed: StateWord(bits: state.load(ordering: .relaxed))
    default: StateWord(bits: state.load(ordering: .acquiring))
    }
  }

  /// Cancels work that this node started beside its upstream. Runs once, on the cancelling thread, before
  /// the observers are told.
  func cancelWork() {}

  /// Whether this node, as an observer, has stopped waiting.
  var isWithdrawn: Bool { isComplete }
}
