import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct RankProbabilitiesTests {
  @Test(
    arguments: [
      ([0.925, 0.07, 0.005], "0.92;0.07;0.00"), ([0.705, 0.295], "0.70;0.30"), ([1], "1.00"),
      ([0, 1], "0.00;1.00"),
    ] as [([Double], String)])
  func `probabilities have two decimals, first rank first`(values: [Double], text: String) throws {
    #expect(RankProbabilities(values).csvText() == text)
    #expect(try RankProbabilities(csvText: text).csvText() == text)
  }

  @Test(arguments: ["1.01", "0.5;", ";", "0.5,0.5", "-0.1;1", "nan", "0.5;x"])
  func `text that is no probability is refused`(text: String) {
    #expect(throws: FieldProblem.self) { try RankProbabilities(csvText: text) }
  }
}
