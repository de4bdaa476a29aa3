import Synchronization

/// A run of slots with stable addresses, one node of the list that a fan-in keeps.
///
/// `@unchecked Sendable`: the outer publisher's thread fills slots in order and links the next segment; the
/// fan-in's gate owns `previous`, `settled` and removal, which spares the last segment of the list.
@usableFromInline
final class FanInSegment<Value>: @unchecked Sendable {
  @usableFromInline let slots: UnsafeMutablePointer<FanInSlot<Value>>
  @usableFromInline let capacity: Int
  /// Slots whose inner publisher has ended and was accounted for.
  @usableFromInline @exclusivity(unchecked) var settled = 0
  /// Whether no slot holds a subscription or a value, so that there is nothing to destroy.
  @usableFromInline @exclusivity(unchecked) var isEmpty = false
  @usableFromInline @exclusivity(unchecked) unowned(unsafe) var previous: FanInSegment<Value>?
  /// The next segment, retained.
  @usableFromInline let following = Atomic<UnsafeRawPointer?>(nil)

  @inlinable
  init(capacity: Int) {
    self.capacity = capacity
    slots = .allocate(capacity: capacity)
    for index in 0..<capacity { (slots + index).initialize(to: FanInSlot(segment: self)) }
  }

  @inlinable
  deinit {
    if !isEmpty { slots.deinitialize(count: capacity) }
    slots.deallocate()
    // One by one: releasing the list through nested deinits would need a stack as deep as the list is long.
    var rest = detachFollowing()
    while let segment = rest { rest = segment.detachFollowing() }
  }

  @inlinable var next: FanInSegment<Value>? {
    following.load(ordering: .sequentiallyConsistent).map {
      Unmanaged<FanInSegment<Value>>.fromOpaque($0).takeUnretainedValue()
    }
  }

  @inlinable
  func link(_ segment: FanInSegment<Value>) {
    segment.previous = self
    following.store(Unmanaged.passRetained(segment).toOpaque(), ordering: .sequentiallyConsistent)
  }

  @inlinable
  func detachFollowing() -> FanInSegment<Value>? {
    following.exchange(nil, ordering: .acquiringAndReleasing).map {
      Unmanaged<FanInSegment<Value>>.fromOpaque($0).takeRetainedValue()
    }
  }
}
