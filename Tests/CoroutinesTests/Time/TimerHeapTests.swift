import RuntimeTestSupport
import Testing

@testable import Coroutines

@Suite struct TimerHeapTests {
  /// Makes entries that nobody waits for.
  private func entries(_ deadlines: [Int64]) -> [UnsafeMutablePointer<TimerEntry>] {
    let fiber = UnsafeMutablePointer<Fiber>(bitPattern: 64)!
    return deadlines.map { deadline in
      let entry = UnsafeMutablePointer<TimerEntry>.allocate(capacity: 1)
      entry.initialize(to: TimerEntry(deadlineNanoseconds: deadline, action: .resume(fiber, epoch: 0)))
      return entry
    }
  }

  private func drain(_ heap: inout TimerHeap) -> [UnsafeMutablePointer<TimerEntry>] {
    var drained: [UnsafeMutablePointer<TimerEntry>] = []
    while let entry = heap.removeFirst(dueBy: .max) { drained.append(entry) }
    return drained
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func itGivesThemByDeadlineAndThenByArrivalWhateverWasRemoved(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let all = entries((0..<200).map { _ in Int64.random(in: 0..<50, using: &random) })
    defer { for entry in all { entry.deallocate() } }
    var heap = TimerHeap()
    for entry in all { heap.insert(entry) }
    var left = Array(all.enumerated())
    for _ in 0..<100 {
      let removed = left.remove(at: Int.random(in: left.indices, using: &random)).element
      let answers = [heap.remove(removed), heap.remove(removed)]
      #expect(answers == [true, false])
    }
    let order = left.sorted {
      ($0.element.pointee.deadlineNanoseconds, $0.offset) < (
        $1.element.pointee.deadlineNanoseconds, $1.offset
      )
    }
    #expect(drain(&heap) == order.map(\.element))
  }

  @Test func onlyWhatIsDueIsGiven() {
    let all = entries([5, 3])
    defer { for entry in all { entry.deallocate() } }
    var heap = TimerHeap()
    for entry in all { heap.insert(entry) }
    #expect(heap.firstDeadline == 3)
    #expect([2, 3, 3, 5].map { heap.removeFirst(dueBy: $0) } == [nil, all[1], nil, all[0]])
  }
}
