import RuntimeSupport
import Synchronization

/// What futures of all values share: completion and cancellation.
///
/// The producer (a promise, the observer list of a source, a combination itself) keeps a pending future alive, so references to
/// a source need not retain. A canceller follows one only while the state is `cancelling`, and the source's delivery waits for
/// that to pass.
///
/// `@unchecked Sendable`: every mutable field has one owner at any time, and ownership moves through `state`
/// (or the field's own flag) with acquire and release ordering.
/// - `storage`, `outcome`: the producer that holds the claim (or the one step that runs) until it publishes;
///   immutable afterwards.
/// - `link`: the thread that inserts the node into a list, then the thread that took that list.
/// - `isUnshared`: the thread that runs the step.
/// - `withdrawalsUntilLook`: the holder of the `withdrawing` flag.
public class AnyFuture: @unchecked Sendable {
  /// Reacts to `source`, which is complete, and returns the node's waiters for the caller to notify. Called at most once per
  /// source, by the owner of a reference to the node; with the node as the source it calls the callback in its slot.
  @usableFromInline typealias Step = @Sendable (_ node: AnyFuture, _ source: AnyFuture) -> StateWord

  /// How a future stands in the lists of others, and what its own slots hold.
  @usableFromInline enum Role: UInt8 {
    /// Waits for one source, or for the answer of its producer.
    case observer
    /// Waits, but never keeps its source from being cancelled.
    case passive
    /// Waits for one source and then for another, which the step makes.
    case chaining
    /// Waits for any number of sources.
    case combination
  }

  @usableFromInline enum Outcome: UInt8 {
    case none
    /// A value that needs no deinitialisation.
    case trivialValue
    case value
    case error
  }

  @usableFromInline final let state = Atomic<UInt>(StateWord.pending)
  // Raw words rather than `Value?`: the deinitialiser of a generic class is not specialised and would look up the metadata of
  // `Optional<Value>` each time, which costs as much as the allocation.
  @exclusivity(unchecked) @usableFromInline final var storage = Storage((0, 0, 0))
  @usableFromInline typealias Storage = InlineStorage<(UInt, UInt, UInt)>
  @exclusivity(unchecked) @usableFromInline final var link = ObserverLink.end
  /// The address of the future this one waits for; 0 if there is none or the canceller has taken it.
  @usableFromInline final let source = Atomic<UInt>(0)
  // A stored function rather than an overridden method: methods of generic classes are not specialised.
  @usableFromInline final let step: Step
  @usableFromInline final let role: Role
  @exclusivity(unchecked) @usableFromInline final var outcome = Outcome.none
  @usableFromInline final let isCallbackReady = Atomic<Bool>(false)
  @usableFromInline final let isHandlerReady = Atomic<Bool>(false)
  /// Nothing but the delivery that runs the step refers to this chaining node.
  @exclusivity(unchecked) @usableFromInline final var isUnshared = false
  /// How far the step of a chaining node that starts the next work has come; see `beginStarting`.
  @usableFromInline final let starting = Atomic<UInt8>(0)
  @exclusivity(unchecked) final var withdrawalsUntilLook: Int16 = 1

  @inlinable init(role: Role, step: @escaping Step) {
    self.step = step
    self.role = role
  }

  deinit {
    if outcome == .error { storage.destroy((any Error).self) }
  }

  /// Whether the result is known. Callbacks may still be on their way.
  @inlinable public final var isComplete: Bool { word(.acquiring).isComplete }

  /// Whether the result is a cancellation through `cancel()`, as opposed to an error that the producer gave.
  public final var isCancelled: Bool { word(.acquiring).bits == StateWord.cancelled }

  @inlinable final func word(_ ordering: AtomicLoadOrdering) -> StateWord {
    switch ordering {
    case .relaxed: StateWord(bits: state.load(ordering: .relaxed))
    default: StateWord(bits: state.load(ordering: .acquiring))
    }
  }

  /// Changes the state to the result of `next`, unless that is nil. Returns the state before, nil if nothing was changed.
  @inlinable @inline(__always) final func change(_ next: (StateWord) -> UInt?) -> StateWord? {
    state.change { next(StateWord(bits: $0)) }.map { StateWord(bits: $0) }
  }

  /// How other futures refer to this one.
  @inlinable final var address: UInt { Unmanaged.passUnretained(self).address }

  /// Waits for a settled future to be complete.
  @usableFromInline final func awaitCompletion() { SpinWait.until { isComplete } }

  /// Ends the life of the cancel handler of a complete future: calls it if the end is a cancellation.
  @usableFromInline func takeCancelHandler() {}

  /// Cancels what a combination waits for, and then makes the deliveries; once, on the cancelling thread. Returns false if
  /// there is nothing to cancel but the one source; the caller makes the deliveries then.
  func cancelSources(thenDeliver deliveries: PendingDeliveries) -> Bool { false }

  /// The deliveries that the canceller has left to the step. Only for that step.
  func takeLeftToStep() -> PendingDeliveries? { nil }

  /// Counts a source out that will never be delivered to this combination. Returns whether it was the last; the caller then
  /// releases the combination's own reference.
  func forgetSource() -> Bool { false }

  /// Whether this node, as an observer, has stopped waiting.
  var isWithdrawn: Bool { word(.acquiring).isSettled }

  /// Whether this node, as an observer that has not stopped waiting, keeps its source from being cancelled.
  var isWanting: Bool { role != .passive }

  /// Releases what the step would have needed. Called by the thread that has taken the node out of its source's list.
  func forgetStep() {}
}

/// The one atomic word of a future: its waiters while it is pending, and how it ended.
///
/// While pending it is a link to the newest observer (see ``ObserverLink``) with three flags in the low bits, which heap
/// alignment leaves free. Settled, it is one of four small values that no pending word can take: a receiver's mark without its
/// address.
@frozen @usableFromInline struct StateWord: Equatable, Sendable {
  @usableFromInline var bits: UInt

  @inlinable init(bits: UInt) { self.bits = bits }

  /// A thread holds the observers, to see which of them still wait.
  @usableFromInline static let withdrawing: UInt = 2
  /// The slot for a first callback is taken (futures of promises only).
  @usableFromInline static let callback: UInt = 4
  /// The slot for a first cancel handler is taken (futures of promises only).
  @usableFromInline static let handler: UInt = 8
  @usableFromInline static let flags: UInt = 14

  /// There are no observers, or none left to deliver to.
  @usableFromInline static let pending: UInt = 0
  /// The producer is writing its answer; a few stores from `answered`.
  @usableFromInline static let claimed: UInt = 1
  /// The canceller is taking hold of the source; a few stores from `cancelled`.
  @usableFromInline static let cancelling: UInt = 3
  /// Complete with the value or error that is stored in the future.
  @usableFromInline static let answered: UInt = 13
  /// Complete with `CancellationError`; a stored value or error does not count.
  @usableFromInline static let cancelled: UInt = 15

  /// There are no observers to deliver to.
  @usableFromInline static var noWaiters: StateWord { StateWord(bits: pending) }
  /// What a step returns that has passed on its reference to the node.
  @usableFromInline static var referenceKept: StateWord { StateWord(bits: claimed) }
  /// What a receiver's step returns when nothing refers to the receiver any more.
  @usableFromInline static var receiverEnded: StateWord { StateWord(bits: claimed) }

  @inlinable var isComplete: Bool { bits | 2 == Self.cancelled }
  /// Complete, or a few stores from it: nothing can be registered or changed any more.
  @inlinable var isSettled: Bool { bits & ~Self.flags == 1 }
  /// There are no observers, and no thread is withdrawing any; a cancel handler may be set.
  @inlinable var isUnobserved: Bool { bits & ~Self.handler == 0 }
  @inlinable var observers: ObserverLink { ObserverLink(bits: bits & ~Self.flags) }
  @inlinable func has(_ flag: UInt) -> Bool { bits & flag != 0 }
}

/// A place in the list of a future's observers, newest first.
///
/// It refers to a node, which the list retains and which has the link to the next older one; or to a receiver, which stands at
/// the end of the list, has no link of its own and keeps itself alive as long as its sources refer to it; or to nothing.
@frozen @usableFromInline struct ObserverLink: Sendable {
  @usableFromInline var bits: UInt

  @usableFromInline static let receiverMark: UInt = 1
  @usableFromInline static var end: ObserverLink { ObserverLink(bits: 0) }

  @inlinable init(bits: UInt) { self.bits = bits }

  @inlinable init(receiver: AnyFuture) {
    bits = Unmanaged.passUnretained(receiver).address | Self.receiverMark
  }

  @inlinable var isEnd: Bool { bits == 0 }
  @inlinable var isReceiver: Bool { bits & Self.receiverMark != 0 }
  @inlinable var isNode: Bool { bits != 0 && !isReceiver }
  /// The node or receiver that it refers to. There is none at the end.
  @inlinable var target: Unmanaged<AnyFuture> { .at(bits & ~Self.receiverMark) }
}

extension Unmanaged where Instance == AnyFuture {
  @inlinable static func at(_ address: UInt) -> Self { .fromOpaque(UnsafeRawPointer(bitPattern: address)!) }

  @inlinable var address: UInt { UInt(bitPattern: toOpaque()) }

  /// Whether this reference is the only strong one. Only for the owner of the reference.
  @usableFromInline var isUnique: Bool {
    var address = toOpaque()
    // Looked at in place: a strong variable of our own would be a second reference.
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: AnyFuture.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }
}
