/// The one atomic word of a future: who may still write, and who waits.
///
/// While pending it is the address of the newest observer (observers are a linked list, newest first) with
/// four flags in the low bits, which heap alignment leaves free. Once complete it is one of two values that
/// no pending word can take: a slot cannot be free for writing while both slots are taken.
@frozen @usableFromInline
struct StateWord: Equatable, Sendable {
  @usableFromInline var bits: UInt

  @inlinable init(bits: UInt) { self.bits = bits }

  /// A producer has won the right to complete and is writing the result.
  @usableFromInline static let claimed: UInt = 1
  /// Some thread owns the inline slots (observer and cancel handler) for a moment.
  @usableFromInline static let slotBusy: UInt = 2
  /// The inline observer slot is taken.
  @usableFromInline static let observerReady: UInt = 4
  /// The cancel handler slot is taken.
  @usableFromInline static let handlerReady: UInt = 8
  @usableFromInline static let flags: UInt = 15

  @usableFromInline static let pending: UInt = 0
  /// Complete with the value or error that is stored in the future.
  @usableFromInline static let answered: UInt = 15
  /// Complete with `CancellationError`; what is stored in the future does not count.
  @usableFromInline static let cancelled: UInt = 14

  @inlinable var isComplete: Bool { bits & ~1 == Self.cancelled }
  @inlinable var isClaimedOrComplete: Bool { bits & Self.claimed != 0 || bits == Self.cancelled }
  @inlinable var observers: UInt { bits & ~Self.flags }
  @inlinable func has(_ flag: UInt) -> Bool { bits & flag != 0 }
}
