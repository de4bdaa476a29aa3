/// A queue in a circle of memory, which grows as it is needed and never shrinks.
@usableFromInline struct RingBuffer<Element>: ~Copyable {
  // Invariant: the `count` slots from `head` on, modulo the capacity, are initialised, the others are not. The capacity is
  // 0 or a power of two.
  @usableFromInline var slots: UnsafeMutablePointer<Element>?
  @usableFromInline var capacity = 0
  @usableFromInline var head = 0
  @usableFromInline var count = 0

  @inlinable init() {}

  @inlinable deinit {
    guard let slots else { return }
    for offset in 0..<count { (slots + (head &+ offset) & (capacity - 1)).deinitialize(count: 1) }
    slots.deallocate()
  }

  @inlinable var isEmpty: Bool { count == 0 }

  @inlinable mutating func append(_ element: consuming Element) {
    if count == capacity { grow() }
    (slots.unsafelyUnwrapped + (head &+ count) & (capacity &- 1)).initialize(to: element)
    count &+= 1
  }

  /// The buffer must not be empty.
  @inlinable mutating func removeFirst() -> Element {
    let element = (slots.unsafelyUnwrapped + head).move()
    head = (head &+ 1) & (capacity &- 1)
    count &-= 1
    return element
  }

  /// Puts a new element in the place of the youngest, which it returns. The buffer must not be empty.
  @inlinable mutating func replaceLast(with element: consuming Element) -> Element {
    let slot = slots.unsafelyUnwrapped + (head &+ count &- 1) & (capacity &- 1)
    let replaced = slot.move()
    slot.initialize(to: element)
    return replaced
  }

  @usableFromInline @inline(never) mutating func grow() {
    let grown = UnsafeMutablePointer<Element>.allocate(capacity: max(1, capacity * 2))
    if let slots {
      // It is full: from `head` to the end, then from the beginning.
      let front = capacity - head
      grown.moveInitialize(from: slots + head, count: front)
      (grown + front).moveInitialize(from: slots, count: head)
      slots.deallocate()
    }
    slots = grown
    capacity = max(1, capacity * 2)
    head = 0
  }
}
