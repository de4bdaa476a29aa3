import RuntimeSupport
import Synchronization

/// The part of a future that does not depend on the type of its value: completion and cancellation.
///
/// A future that is derived from another one, its source, does not retain the source: promises retain their futures, and
/// futures retain those derived from them. A cancelling thread uses the source only in the state `cancelling`; a completion of
/// the source waits for the end of that state.
///
/// `@unchecked Sendable`: one thread at a time owns a mutable field. Ownership moves through `state` (or the field's own flag)
/// with acquire and release ordering.
/// - `storage`, `outcome`: the thread whose `claim` succeeded or that runs the step, until `publish`; immutable afterwards.
/// - `link`: the thread that inserts the node into a list, then the thread that took that list.
/// - `isUnshared`: the thread that runs the step.
/// - `withdrawalsUntilLook`: the thread that has set the `withdrawing` flag.
public class AnyFuture: @unchecked Sendable {
  /// The reaction of a derived future, the `node`, to the completion of `source`. Runs at most once per source, while the
  /// caller owns a reference to the node. Returns the node's waiters, which the caller must notify. If `source` is the node
  /// itself, calls the stored callback.
  @usableFromInline typealias Step = @Sendable (_ node: AnyFuture, _ source: AnyFuture) -> StateWord

  /// The number of sources (other futures) that a future waits for, and whether it keeps a source from being cancelled.
  @usableFromInline enum Role: UInt8 {
    /// Waits for one source, or for its promise.
    case observer
    /// Like `observer`, but does not keep its source from being cancelled.
    case passive
    /// Waits for one source and then for a second source, which is created when the first one is complete.
    case chaining
    /// Waits for any number of sources.
    case combination
  }

  @usableFromInline enum Outcome: UInt8 {
    case none
    /// The outcome is a value that needs no deinitialisation.
    case trivialValue
    case value
    case error
  }

  @usableFromInline final let state = Atomic<UInt>(StateWord.pending)
  // Raw words, not a `Value?`: the deinitialiser of a generic class would look up the metadata of `Optional<Value>` each time,
  // which takes as long as the allocation.
  @exclusivity(unchecked) @usableFromInline final var storage = Storage((0, 0, 0))
  @usableFromInline typealias Storage = InlineStorage<(UInt, UInt, UInt)>
  @exclusivity(unchecked) @usableFromInline final var link = ObserverLink.end
  /// The address of the future that this one waits for. 0 if there is none or a cancelling thread has taken it.
  @usableFromInline final let source = Atomic<UInt>(0)
  // A stored function, not a method, because overridden methods of generic classes are not specialised.
  @usableFromInline final let step: Step
  @usableFromInline final let role: Role
  @exclusivity(unchecked) @usableFromInline final var outcome = Outcome.none
  @usableFromInline final let isCallbackReady = Atomic<Bool>(false)
  @usableFromInline final let isHandlerReady = Atomic<Bool>(false)
  /// For the role `chaining`: whether the thread that runs this future's step has the only reference to the future.
  @exclusivity(unchecked) @usableFromInline final var isUnshared = false
  /// For the role `chaining`: bits that say how far this future has started its second source. See `beginStarting`.
  @usableFromInline final let starting = Atomic<UInt8>(0)
  @exclusivity(unchecked) final var withdrawalsUntilLook: Int16 = 1

  @inlinable init(role: Role, step: @escaping Step) {
    self.step = step
    self.role = role
  }

  deinit {
    if outcome == .error { storage.destroy((any Error).self) }
  }

  /// Whether the result is known. Some callbacks may not have run yet.
  @inlinable public final var isComplete: Bool { word(.acquiring).isComplete }

  /// Whether `cancel()` completed the future. False if the producer failed it, even with a `CancellationError`.
  public final var isCancelled: Bool { word(.acquiring).bits == StateWord.cancelled }

  @inlinable final func word(_ ordering: AtomicLoadOrdering) -> StateWord {
    switch ordering {
    case .relaxed: StateWord(bits: state.load(ordering: .relaxed))
    default: StateWord(bits: state.load(ordering: .acquiring))
    }
  }

  /// Changes the state to the result of `next` and returns the previous state, or `nil` if `next` returned `nil`.
  @inlinable @inline(__always) final func change(_ next: (StateWord) -> UInt?) -> StateWord? {
    state.change { next(StateWord(bits: $0)) }.map { StateWord(bits: $0) }
  }

  @inlinable final var address: UInt { Unmanaged.passUnretained(self).address }

  /// Spins until this future is complete. Another thread must be about to complete it.
  @usableFromInline final func awaitCompletion() { SpinWait.until { isComplete } }

  /// Releases the cancel handler of a complete future, after calling it if the future was cancelled.
  @usableFromInline func takeCancelHandler() {}

  /// Cancels all sources of a combination, then notifies the waiters in `deliveries`. The cancelling thread calls this once. If
  /// this returns false, the caller must do both.
  func cancelSources(thenDeliver deliveries: PendingDeliveries) -> Bool { false }

  /// Notifications that a cancelling thread has left to this future's `step`. Only the thread that runs the step calls this.
  func takeLeftToStep() -> PendingDeliveries? { nil }

  /// Counts a source of a combination as ended without a result. Returns true if it was the last source; the caller must then
  /// release the combination's reference to itself.
  func forgetSource() -> Bool { false }

  /// Whether this observer has stopped waiting for its source.
  var isWithdrawn: Bool { word(.acquiring).isSettled }

  /// Whether this observer keeps its source from being cancelled.
  var isWanting: Bool { role != .passive }

  /// Releases what the future's step would have used. Called only by the thread that has removed this future from its source.
  func forgetStep() {}
}

/// The atomic state of a future: its waiters while the future is pending, then the kind of its outcome.
///
/// The word of a pending future is a link to the newest observer (see ``ObserverLink``), with three flags in the low bits that
/// heap alignment leaves free. The word of a settled future is one of four small odd values. A pending future's word is odd
/// only if it also has an address.
@frozen @usableFromInline struct StateWord: Equatable, Sendable {
  @usableFromInline var bits: UInt

  @inlinable init(bits: UInt) { self.bits = bits }

  /// A flag: a thread has taken the observers, to find those that still wait.
  @usableFromInline static let withdrawing: UInt = 2
  /// A flag: the future stores a callback or is about to.
  @usableFromInline static let callback: UInt = 4
  /// A flag: the future of a promise stores a cancel handler or is about to.
  @usableFromInline static let handler: UInt = 8
  @usableFromInline static let flags: UInt = 14

  /// A pending future without observers and flags.
  @usableFromInline static let pending: UInt = 0
  /// A thread is writing the result; `answered` follows within a few stores.
  @usableFromInline static let claimed: UInt = 1
  /// The cancelling thread is retaining the future's source; `cancelled` follows within a few stores.
  @usableFromInline static let cancelling: UInt = 3
  /// The future is complete with its stored value or error.
  @usableFromInline static let answered: UInt = 13
  /// The future is cancelled. A stored value or error is ignored.
  @usableFromInline static let cancelled: UInt = 15

  /// The result of a future's `step` if there are no waiters to notify.
  @usableFromInline static var noWaiters: StateWord { StateWord(bits: pending) }
  /// The result of a future's `step` that has passed on the caller's reference to the future.
  @usableFromInline static var referenceKept: StateWord { StateWord(bits: claimed) }
  /// The result of a combination's `step` if no source refers to the combination any more.
  @usableFromInline static var receiverEnded: StateWord { StateWord(bits: claimed) }

  @inlinable var isComplete: Bool { bits | 2 == Self.cancelled }
  /// Whether the future is complete or will be within a few stores, so that nothing can be registered.
  @inlinable var isSettled: Bool { bits & ~Self.flags == 1 }
  /// Whether this is the state of a pending future without observers and callback, perhaps with a cancel handler.
  @inlinable var isUnobserved: Bool { bits & ~Self.handler == 0 }
  @inlinable var observers: ObserverLink { ObserverLink(bits: bits & ~Self.flags) }
  @inlinable func has(_ flag: UInt) -> Bool { bits & flag != 0 }
}

/// A link in the list of a future's observers, newest first. It refers to a node, to a receiver or to nothing.
///
/// A node has one source, whose list retains the node. The node's `link` is the next older observer. A receiver combines
/// several futures and ends a list. A receiver has no link, and retains itself as long as its sources refer to it.
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
  /// The node or receiver that the link refers to. Must not be called if `isEnd` is true.
  @inlinable var target: Unmanaged<AnyFuture> { .at(bits & ~Self.receiverMark) }
}

extension Unmanaged where Instance == AnyFuture {
  @inlinable static func at(_ address: UInt) -> Self { .fromOpaque(UnsafeRawPointer(bitPattern: address)!) }

  @inlinable var address: UInt { UInt(bitPattern: toOpaque()) }

  /// Whether this is the only strong reference to the object. Only for the owner of the reference.
  @usableFromInline var isUnique: Bool {
    var address = toOpaque()
    // A strong variable would be a second reference, so the check uses the address.
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: AnyFuture.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }
}
