/// One timer: what becomes due, and when.
struct TimerEntry {
  // Invariant: touched under the timer's lock once it is in the heap. Where it lies it stays until it has left: on the
  // stack of the coroutine that waits, or in its `ScheduledWork`.
  enum Action {
    /// Ends the suspension, unless somebody has.
    case resume(FiberPointer, epoch: UInt64)
    /// The heap holds one reference.
    case run(Unmanaged<CoTimer.ScheduledWork>)
  }

  let deadlineNanoseconds: Int64
  let action: Action
  /// Its place in the heap; nil: it is in none.
  fileprivate(set) var position: Int?

  init(deadlineNanoseconds: Int64, action: Action) {
    self.deadlineNanoseconds = deadlineNanoseconds
    self.action = action
  }
}

/// Timers by their deadlines, those with the same in the order in which they came: a heap with four children to a node,
/// whose entries know their places, so that any can be taken out in logarithmic time.
struct TimerHeap {
  private struct Slot {
    let deadline: Int64
    let number: UInt64
    let entry: UnsafeMutablePointer<TimerEntry>

    static func < (left: Slot, right: Slot) -> Bool {
      (left.deadline, left.number) < (right.deadline, right.number)
    }
  }

  private var slots: [Slot] = []
  private var nextNumber: UInt64 = 0

  var count: Int { slots.count }
  var firstDeadline: Int64? { slots.first?.deadline }

  mutating func insert(_ entry: UnsafeMutablePointer<TimerEntry>) {
    let slot = Slot(deadline: entry.pointee.deadlineNanoseconds, number: nextNumber, entry: entry)
    nextNumber += 1
    slots.append(slot)
    moveUp(slot, from: slots.count - 1)
  }

  /// Returns whether it was there.
  mutating func remove(_ entry: UnsafeMutablePointer<TimerEntry>) -> Bool {
    guard let position = entry.pointee.position else { return false }
    entry.pointee.position = nil
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

  /// Takes out the first of those that are due by then.
  mutating func removeFirst(dueBy deadline: Int64) -> UnsafeMutablePointer<TimerEntry>? {
    guard let first = slots.first, first.deadline <= deadline else { return nil }
    _ = remove(first.entry)
    return first.entry
  }

  private mutating func place(_ slot: Slot, at position: Int) {
    slots[position] = slot
    slot.entry.pointee.position = position
  }

  private mutating func moveUp(_ slot: Slot, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 4
      guard slot < slots[parent] else { break }
      place(slots[parent], at: position)
      position = parent
    }
    place(slot, at: position)
  }

  private mutating func moveDown(_ slot: Slot, from start: Int) {
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
