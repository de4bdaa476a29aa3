import Synchronization

/// Slots whose posts have ended, from many threads to the generator's: a stack that is taken as a whole (Treiber, 1986).
final class EndedSlots: Sendable {
  /// The place of the slot that ended last; −1: none.
  private let head = Atomic<Int>(-1)

  func push(_ slot: LoadSlot) {
    var first = head.load(ordering: .relaxed)
    while true {
      slot.nextEnded.store(first, ordering: .relaxed)
      let attempt = head.weakCompareExchange(
        expected: first, desired: slot.index, successOrdering: .releasing, failureOrdering: .relaxed)
      if attempt.exchanged { return }
      first = attempt.original
    }
  }

  /// Takes out all of them.
  func drain(_ slots: [LoadSlot], _ body: (LoadSlot) -> Void) {
    guard head.load(ordering: .relaxed) >= 0 else { return }
    var next = head.exchange(-1, ordering: .acquiring)
    while next >= 0 {
      let slot = slots[next]
      next = slot.nextEnded.load(ordering: .relaxed)
      body(slot)
    }
  }
}
