import TestSupport
import Testing
import UploadScenario

@testable import UploadServices

@Suite(.ownThread) struct DeadlineHeapTests {
  private final class Item: DeadlineHeapElement {
    let deadlineNanoseconds: UInt64
    let number: Int
    var heapPosition: Int?

    init(_ deadline: UInt64, _ number: Int) {
      deadlineNanoseconds = deadline
      self.number = number
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `items come out by deadline, then arrival`(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var heap = DeadlineHeap<Item>()
    let items = (0..<200).map { Item(generator.next() % 50, $0) }
    for item in items { heap.insert(item) }
    let removed = Set((0..<60).map { _ in Int(generator.next() % 200) })
    for number in removed {
      heap.remove(items[number])
      heap.remove(items[number])
    }
    var drained: [Int] = []
    while let first = heap.first {
      heap.remove(first)
      drained.append(first.number)
    }
    let expected = items.filter { !removed.contains($0.number) }
      .sorted { ($0.deadlineNanoseconds, $0.number) < ($1.deadlineNanoseconds, $1.number) }.map(\.number)
    #expect(drained == expected)
    #expect(heap.isEmpty)
  }
}
