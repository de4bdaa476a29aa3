import TestSupport
import Testing
import Timers

@Suite(.ownThread) struct TimerHeapTests {
  private final class Timer: HeapTimer {
    let deadlineNanoseconds: Int64
    var heapPosition: Int?

    init(_ deadline: Int64) { deadlineNanoseconds = deadline }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `timers come by deadline, then by arrival, whatever was removed`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    let all = (0..<200).map { _ in Timer(Int64.random(in: 0..<50, using: &random)) }
    var heap = TimerHeap<Timer>()
    for timer in all { heap.insert(timer) }
    var left = Array(all.enumerated())
    for _ in 0..<100 {
      let removed = left.remove(at: Int.random(in: left.indices, using: &random)).element
      let answers = [heap.remove(removed), heap.remove(removed)]
      #expect(answers == [true, false])
    }
    let order = left.sorted {
      ($0.element.deadlineNanoseconds, $0.offset) < ($1.element.deadlineNanoseconds, $1.offset)
    }
    var drained: [Timer] = []
    while let timer = heap.removeFirst(dueBy: .max) { drained.append(timer) }
    #expect(drained.map(ObjectIdentifier.init) == order.map { ObjectIdentifier($0.element) })
  }

  @Test func `only due timers are removed`() {
    let all = [Timer(5), Timer(3)]
    var heap = TimerHeap<Timer>()
    for timer in all { heap.insert(timer) }
    #expect(heap.firstDeadlineNanoseconds == 3)
    #expect([2, 3, 3, 5].map { heap.removeFirst(dueBy: $0)?.deadlineNanoseconds } == [nil, 3, nil, 5])
  }
}
