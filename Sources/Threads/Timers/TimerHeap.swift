/// A timer that stores its own position in a ``TimerHeap``.
public protocol HeapTimer {
  /// The type of deadlines, such as a time in nanoseconds.
  associatedtype Deadline: Comparable
  var deadlineNanoseconds: Deadline { get }
  /// `nil` while the timer is in no heap. Only the heap accesses it.
  var heapPosition: Int? { get nonmutating set }
}

/// Timers in the order of their deadlines and, for equal deadlines, of insertion. Timers know their positions, so that each can
/// be removed in logarithmic time. A node of the heap has four children.
public struct TimerHeap<Timer: HeapTimer> {
  @usableFromInline struct Slot {
    @usableFromInline let deadline: Timer.Deadline
    @usableFromInline let number: UInt64
    @usableFromInline let timer: Timer

    @inlinable init(_ timer: Timer, number: UInt64) {
      deadline = timer.deadlineNanoseconds
      self.number = number
      self.timer = timer
    }

    @inlinable static func < (left: Slot, right: Slot) -> Bool {
      (left.deadline, left.number) < (right.deadline, right.number)
    }
  }

  @usableFromInline var slots: [Slot] = []
  @usableFromInline var nextNumber: UInt64 = 0

  @inlinable public init() {}

  @inlinable public var count: Int { slots.count }
  @inlinable public var firstDeadlineNanoseconds: Timer.Deadline? { slots.first?.deadline }

  @inlinable public mutating func insert(_ timer: Timer) {
    let slot = Slot(timer, number: nextNumber)
    nextNumber += 1
    slots.append(slot)
    moveUp(slot, from: slots.count - 1)
  }

  /// Removes a timer. Returns whether it was in the heap.
  @inlinable @discardableResult public mutating func remove(_ timer: Timer) -> Bool {
    guard let position = timer.heapPosition else { return false }
    timer.heapPosition = nil
    let last = slots.removeLast()
    if position < slots.count {
      if position > 0, last < slots[(position - 1) / 4] {
        moveUp(last, from: position)
      } else {
        moveDown(last, from: position)
      }
    }
    return true
  }

  /// Removes and returns the first timer that is due by `deadline`.
  @inlinable public mutating func removeFirst(dueBy deadline: Timer.Deadline) -> Timer? {
    guard let first = slots.first, first.deadline <= deadline else { return nil }
    remove(first.timer)
    return first.timer
  }

  @inlinable mutating func place(_ slot: Slot, at position: Int) {
    slots[position] = slot
    slot.timer.heapPosition = position
  }

  @inlinable mutating func moveUp(_ slot: Slot, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 4
      guard slot < slots[parent] else { break }
      place(slots[parent], at: position)
      position = parent
    }
    place(slot, at: position)
  }

  @inlinable mutating func moveDown(_ slot: Slot, from start: Int) {
    var position = start
    while true {
      var least = position * 4 + 1
      guard least < slots.count else { break }
      for child in least..<min(least + 4, slots.count) where slots[child] < slots[least] { least = child }
      guard slots[least] < slot else { break }
      place(slots[least], at: position)
      position = least
    }
    place(slot, at: position)
  }
}
