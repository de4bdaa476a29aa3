import RuntimeSupport
import Synchronization
import TestSupport
import Testing

@Suite(.ownThread) struct SerialTurnsTests {
  /// A class, so that threads can share it.
  private final class Combination: Sendable {
    private let turns = SerialTurns()
    private let isInTurn = Atomic<Bool>(false)
    private let taken = Atomic<Int>(0)
    private let asked = Atomic<Int>(0)

    var takenCount: Int { taken.load(ordering: .relaxed) }
    var askedCount: Int { asked.load(ordering: .relaxed) }

    func request(_ count: Int, in turn: (_ count: Int) -> Void = { _ in }) {
      asked.wrappingAdd(count, ordering: .relaxed)
      turns.request(count) { count in
        if isInTurn.exchange(true, ordering: .acquiringAndReleasing) { Issue.record("a turn within a turn") }
        taken.wrappingAdd(count, ordering: .relaxed)
        turn(count)
        isInTurn.store(false, ordering: .releasing)
      }
    }
  }

  @Test func `a request in a turn is taken after it, before the outer request returns`() {
    let combination = Combination()
    var turns: [Int] = []
    combination.request(2) { count in
      turns.append(count)
      let taken = combination.takenCount
      if turns.count <= 3 { combination.request(count + 1) }
      #expect(combination.takenCount == taken)
    }
    #expect(turns == [2, 3, 4, 5])
    combination.request(1)
    #expect(combination.takenCount == combination.askedCount)
  }

  @Test func `the highest count, and one more from another thread`() {
    let combination = Combination()
    var turns: [Int] = []
    combination.request(.max) { count in
      turns.append(count)
      if turns.count == 1 { onThreads(1) { _ in combination.request(1) } }
    }
    #expect(turns == [.max, 1])
  }

  @Test func `threads take turns, and no request is lost`() {
    let combination = Combination()
    onThreads(4) { _ in
      for index in 0..<2_000 {
        combination.request(1) { _ in
          if index % 3 == 0, combination.askedCount < 7_000 { combination.request(1) }
        }
      }
    }
    #expect(combination.takenCount == combination.askedCount && combination.takenCount > 8_000)
  }

  @Test func `the wait ends when another thread makes the condition true`() {
    for round in 1...100 {
      let ready = Counter()
      let seen = Counter()
      onThreads(2) { thread in
        if thread == 0 {
          ready.add(round)
        } else {
          SpinWait.until { ready.current == round }
          seen.add()
        }
      }
      #expect(seen.current == 1)
    }
  }
}
