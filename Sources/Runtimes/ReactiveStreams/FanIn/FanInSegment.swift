import RuntimeTiming
import Synchronization

/// A run of slots with stable addresses, one node of the list that a fan-in keeps.
///
/// Inner publishers hold their segment, and through it the fan-in: one reference count for them all would be
/// fought over by the threads that start inner publishers and those that end them.
///
/// `@unchecked Sendable`: the outer publisher's thread fills slots in order and links the next segment; the
/// fan-in's gate owns `previous`, `settled` and removal, which spares the last segment of the list.
@usableFromInline
final class FanInSegment<Downstream: Subscriber>: @unchecked Sendable {
  @usableFromInline typealias Slot = FanInSlot<Downstream>

  @usableFromInline let fanIn: FanIn<Downstream>
  @usableFromInline let memory: UnsafeMutableRawPointer
  @usableFromInline let capacity: Int
  /// Slots whose inner publisher has ended and was accounted for.
  @usableFromInline @exclusivity(unchecked) var settled = 0
  /// Whether no slot holds a subscription or a value, so that there is nothing to destroy.
  @usableFromInline @exclusivity(unchecked) var isEmpty = false
  @usableFromInline @exclusivity(unchecked) unowned(unsafe) var previous: FanInSegment?
  /// The next segment, retained.
  @usableFromInline let following = Atomic<UnsafeRawPointer?>(nil)

  /// As many slots as 1000 bytes hold: glibc answers a larger request by sorting through what was freed lately.
  @inlinable static var largestCapacity: Int { max(4, 1000 / Slot.stride) }

  @inlinable
  init(_ fanIn: FanIn<Downstream>, capacity: Int) {
    self.fanIn = fanIn
    self.capacity = capacity
    memory = .allocate(byteCount: capacity * Slot.stride, alignment: Slot.contentOffset)
    for index in 0..<capacity { self[index].initialize(segment: self) }
  }

  @inlinable
  deinit {
    if !isEmpty { for index in 0..<capacity { self[index].content.deinitialize(count: 1) } }
    memory.deallocate()
    // One by one: releasing the list through nested deinits would need a stack as deep as the list is long.
    var rest = detachFollowing()
    while let segment = rest { rest = segment.detachFollowing() }
  }

  @inlinable subscript(index: Int) -> Slot { Slot(memory + index * Slot.stride) }

  @inlinable var next: FanInSegment? {
    following.load(ordering: .sequentiallyConsistent).map {
      Unmanaged<FanInSegment>.fromOpaque($0).takeUnretainedValue()
    }
  }

  @inlinable
  func link(_ segment: FanInSegment) {
    segment.previous = self
    let reference = Unmanaged.passRetained(segment).toOpaque()
    keepRetainsAhead()
    following.store(reference, ordering: .sequentiallyConsistent)
  }

  @inlinable
  func detachFollowing() -> FanInSegment? {
    following.exchange(nil, ordering: .acquiringAndReleasing).map {
      Unmanaged<FanInSegment>.fromOpaque($0).takeRetainedValue()
    }
  }
}
