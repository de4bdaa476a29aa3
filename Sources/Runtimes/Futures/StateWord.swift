/// The one atomic word of a future: who waits while it is pending, and how it ended.
///
/// While pending it is a link to the newest observer (see ``ObserverLink``) with three flags in the low bits,
/// which heap alignment leaves free. Once settled it is one of four small values that no pending word can
/// take: the mark of a receiver without the receiver's address.
@frozen @usableFromInline
struct StateWord: Equatable, Sendable {
  @usableFromInline var bits: UInt

  @inlinable
  init(bits: UInt) { self.bits = bits }

  /// A thread has the observers in hand to look who of them still waits.
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
  /// Complete with `CancellationError`; what is stored in the future does not count.
  @usableFromInline static let cancelled: UInt = 15

  /// There are no observers to deliver to.
  @usableFromInline static var nobody: StateWord { StateWord(bits: pending) }
  /// What a step returns that has passed on the reference by which its node was given to it.
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

/// A place in the list of those who wait for a future, newest first.
///
/// It refers to a node, which the list retains and which has the link to the next older one; or to a receiver,
/// which stands at the end of the list, has no link of its own and is not retained (it keeps itself alive as
/// long as its sources refer to it); or to nothing.
@frozen @usableFromInline
struct ObserverLink: Sendable {
  @usableFromInline var bits: UInt

  @usableFromInline static let receiverMark: UInt = 1
  @usableFromInline static var end: ObserverLink { ObserverLink(bits: 0) }

  @inlinable
  init(bits: UInt) { self.bits = bits }

  @inlinable
  init(receiver: AnyFuture) {
    bits = Unmanaged.passUnretained(receiver).address | Self.receiverMark
  }

  @inlinable var isEnd: Bool { bits == 0 }
  @inlinable var isReceiver: Bool { bits & Self.receiverMark != 0 }
  @inlinable var isNode: Bool { bits != 0 && !isReceiver }
  /// The node or receiver that it refers to. There is none at the end.
  @inlinable var target: Unmanaged<AnyFuture> { .at(bits & ~Self.receiverMark) }
}

extension Unmanaged where Instance == AnyFuture {
  @inlinable
  static func at(_ address: UInt) -> Self { .fromOpaque(UnsafeRawPointer(bitPattern: address)!) }

  @inlinable
  var address: UInt { UInt(bitPattern: toOpaque()) }

  /// Whether this reference is the only strong one. Only for the owner of the reference.
  @usableFromInline
  var isUnique: Bool {
    var address = toOpaque()
    // Looked at in place: a strong variable of our own would be a second reference.
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: AnyFuture.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }
}
