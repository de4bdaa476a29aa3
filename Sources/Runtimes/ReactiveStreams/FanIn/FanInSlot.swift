import Synchronization

/// What a fan-in knows of one inner publisher: its subscription, and at most one value that waits.
///
/// The inner publisher's thread writes `subscription` before it sets `subscribed`, `value` before `holding`;
/// everything else is touched only inside the fan-in's gate.
@usableFromInline
struct FanInSlot<Value>: ~Copyable {
  @usableFromInline static var subscribed: UInt8 { 1 }
  /// A value waits. The inner publisher was asked for one and sends no more until it is taken.
  @usableFromInline static var holding: UInt8 { 2 }
  @usableFromInline static var finished: UInt8 { 4 }
  /// The slot is in the list of slots with news.
  @usableFromInline static var listed: UInt8 { 8 }
  @usableFromInline static var cancelled: UInt8 { 16 }

  @usableFromInline let bits = Atomic<UInt8>(0)
  @usableFromInline var subscription: (any Subscription)?
  @usableFromInline var value: Value?
  /// The next slot with news.
  @usableFromInline var next: UnsafeMutablePointer<FanInSlot<Value>>?
  @usableFromInline unowned(unsafe) let segment: FanInSegment<Value>

  @inlinable
  init(segment: FanInSegment<Value>) { self.segment = segment }

  @inlinable
  func set(_ bit: UInt8) -> UInt8 { bits.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue }

  @inlinable
  func clear(_ bit: UInt8) -> UInt8 { bits.bitwiseAnd(~bit, ordering: .acquiringAndReleasing).oldValue }
}
