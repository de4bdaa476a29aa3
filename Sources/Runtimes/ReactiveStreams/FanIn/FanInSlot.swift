import Synchronization

/// The place of one inner publisher in a fan-in: bits that everyone may touch, and what they hand over.
///
/// The two lie apart and have pointers of their own: an atomic must not lie inside a struct that others modify.
///
/// `@unchecked Sendable`: the inner publisher's thread writes `subscription` before it sets `subscribed`, `value`
/// before `holding`; everything else is touched only inside the fan-in's gate. The memory is the segment's.
@usableFromInline
struct FanInSlot<Downstream: Subscriber>: Equatable, @unchecked Sendable {
  @usableFromInline static var subscribed: UInt8 { 1 }
  /// A value waits. The inner publisher was asked for one and sends no more until it is taken.
  @usableFromInline static var holding: UInt8 { 2 }
  @usableFromInline static var finished: UInt8 { 4 }
  /// The slot is in the list of slots with news.
  @usableFromInline static var listed: UInt8 { 8 }
  @usableFromInline static var cancelled: UInt8 { 16 }

  /// What is known of the inner publisher.
  @usableFromInline
  struct Content {
    @usableFromInline var subscription: (any Subscription)?
    @usableFromInline var value: Downstream.Input?
    /// The next slot with news.
    @usableFromInline var next: FanInSlot?
    @usableFromInline unowned(unsafe) let segment: FanInSegment<Downstream>

    @inlinable init(segment: FanInSegment<Downstream>) { self.segment = segment }
  }

  @inlinable static var contentOffset: Int { max(MemoryLayout<Int>.size, MemoryLayout<Content>.alignment) }
  @inlinable static var stride: Int {
    (contentOffset + MemoryLayout<Content>.size + contentOffset - 1) / contentOffset * contentOffset
  }

  @usableFromInline let address: UnsafeMutableRawPointer

  @inlinable init(_ address: UnsafeMutableRawPointer) { self.address = address }

  /// The next slot of the same segment.
  @inlinable var following: FanInSlot { FanInSlot(address + Self.stride) }

  @inlinable
  func initialize(segment: FanInSegment<Downstream>) {
    address.bindMemory(to: Atomic<UInt8>.self, capacity: 1).initialize(to: Atomic(0))
    (address + Self.contentOffset).initializeMemory(as: Content.self, to: Content(segment: segment))
  }

  @inlinable var bits: UnsafeMutablePointer<Atomic<UInt8>> {
    address.assumingMemoryBound(to: Atomic<UInt8>.self)
  }

  @inlinable var content: UnsafeMutablePointer<Content> {
    (address + Self.contentOffset).assumingMemoryBound(to: Content.self)
  }

  @inlinable
  func load() -> UInt8 { bits.pointee.load(ordering: .acquiring) }

  @inlinable
  func set(_ bit: UInt8) -> UInt8 { bits.pointee.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue }

  @inlinable
  func clear(_ bit: UInt8) -> UInt8 {
    bits.pointee.bitwiseAnd(~bit, ordering: .acquiringAndReleasing).oldValue
  }
}
