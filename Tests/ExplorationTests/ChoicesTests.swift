import TestSupport
import Testing

@testable import Exploration

@Suite(.ownThread) struct ChoicesTests {
  /// A tree whose second choice depends on the first.
  private func walk(_ choices: inout Choices) -> [Int] {
    let first = choices.choose(of: 3)
    guard first > 0 else { return [first] }
    return [first, choices.choose(of: first + 1), choices.choose(of: 1)]
  }

  @Test func followingTheSuccessorsTriesEverythingOnce() {
    var schedules: [[Int]] = []
    var next: [Int]? = []
    while let prefix = next {
      var choices = Choices(following: prefix)
      schedules.append(walk(&choices))
      next = choices.successor
    }
    #expect(schedules == [[0], [1, 0, 0], [1, 1, 0], [2, 0, 0], [2, 1, 0], [2, 2, 0]])
  }

  @Test func aSeedChoosesTheSameAgain() {
    func draw(_ seed: UInt64) -> [Int] {
      var choices = Choices(seed: seed)
      return (0..<50).map { _ in choices.choose(of: 7) }
    }
    #expect(draw(1) == draw(1))
    #expect(draw(1) != draw(2))
    #expect(Set(draw(1)) == Set(0..<7))
  }
}
