/// A queue in a circular buffer, which grows as needed and never shrinks.
public struct RingBuffer<Element>: ~Copyable {
  // Invariant: of the `room` slots (0 or a power of 2), only the `used` ones from `head` on, modulo `room`, are initialised.
  @usableFromInline var slots: UnsafeMutablePointer<Element>?
  @usableFromInline var room = 0
  @usableFromInline var head = 0
  @usableFromInline var used = 0

  /// An empty queue, which allocates nothing until it is used.
  @inlinable public init() {}

  @inlinable deinit {
    guard let slots else { return }
    for offset in 0..<used { (slots + (head &+ offset) & (room - 1)).deinitialize(count: 1) }
    slots.deallocate()
  }

  @inlinable public var isEmpty: Bool { used == 0 }
  @inlinable public var count: Int { used }
  /// The number of elements that fit the allocated memory.
  @inlinable public var capacity: Int { room }

  @inlinable public mutating func append(_ element: consuming Element) {
    if used == room { grow() }
    (slots.unsafelyUnwrapped + (head &+ used) & (room &- 1)).initialize(to: element)
    used &+= 1
  }

  /// Removes the oldest element. The buffer must not be empty.
  @inlinable public mutating func removeFirst() -> Element {
    let element = (slots.unsafelyUnwrapped + head).move()
    head = (head &+ 1) & (room &- 1)
    used &-= 1
    return element
  }

  @inlinable @inline(never) mutating func grow() {
    let newCapacity = max(1, room * 2)
    let grown = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
    if let slots {
      // The oldest elements are at `head` and after it, the newest before it.
      let front = room - head
      grown.moveInitialize(from: slots + head, count: front)
      (grown + front).moveInitialize(from: slots, count: head)
      slots.deallocate()
    }
    slots = grown
    room = newCapacity
    head = 0
  }
}
