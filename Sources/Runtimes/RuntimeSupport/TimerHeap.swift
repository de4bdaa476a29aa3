/// Timers by their deadlines, those with the same in the order in which they came: a heap with four children to a node,
/// whose timers know their places, so that any can be taken out in logarithmic time.
struct TimerHeap {
  private struct Slot {
    let deadline: Int64
    let number: UInt64
    let timer: OneShotTimer

    static func < (left: Slot, right: Slot) -> Bool {
      (left.deadline, left.number) < (right.deadline, right.number)
    }
  }

  private var slots: [Slot] = []
  private var nextNumber: UInt64 = 0

  var count: Int { slots.count }
  var firstDeadlineNanoseconds: Int64? { slots.first?.deadline }

  mutating func insert(_ timer: OneShotTimer) {
    let slot = Slot(deadline: timer.deadlineNanoseconds, number: nextNumber, timer: timer)
    nextNumber += 1
    slots.append(slot)
    moveUp(slot, from: slots.count - 1)
  }

  /// Does nothing if the timer is not there any more.
  mutating func remove(_ timer: OneShotTimer) {
    guard let position = timer.position else { return }
    timer.position = nil
    let last = slots.removeLast()
    guard position < slots.count else { return }
    if position > 0, last < slots[(position - 1) / 4] {
      moveUp(last, from: position)
    } else {
      moveDown(last, from: position)
    }
  }

  /// Takes out the first of those that are due by then.
  mutating func removeFirst(dueBy deadline: Int64) -> OneShotTimer? {
    guard let first = slots.first, first.deadline <= deadline else { return nil }
    remove(first.timer)
    return first.timer
  }

  private mutating func place(_ slot: Slot, at position: Int) {
    slots[position] = slot
    slot.timer.position = position
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
