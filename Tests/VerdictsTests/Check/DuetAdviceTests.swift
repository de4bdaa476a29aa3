import Statistics
import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct DuetAdviceTests {
  private static let test = CheckFixture.test

  /// Pairs that lie so far to both sides of no change.
  private static func cell(_ pairs: Int, spread: Double, disturbed: Int = 0) -> CheckedCell {
    var cell = CheckedCell(CellKey(contender: "a", scenario: "s"))
    for pair in 0..<pairs {
      _ = cell.add(
        base: [1_000], candidate: [1_000 * (1 + (pair.isMultiple(of: 2) ? spread : -spread))],
        disturbed: disturbed, test)
    }
    return cell
  }

  private static func text(_ cells: CheckedCell...) -> String? {
    CheckFixture.report(cells, proofs: []).notes.first { $0.hasPrefix("What is not decided") }
  }

  private static func said(_ ways: String) -> String {
    "What is not decided would take about \(ways), as far as its pairs tell."
  }

  @Test func `too few pairs ask for a proportional budget`() {
    // Eight are the fewest: twice 6.4 s.
    #expect(Self.text(Self.cell(4, spread: 0.001)) == Self.said("`--budget 13s`"))
  }

  /// What is found must be found again.
  @Test func `a likely change asks for its confirmation, too`() {
    var cell = CheckedCell(CellKey(contender: "a", scenario: "s"))
    for _ in 0..<4 { _ = cell.add(base: [1_000], candidate: [1_030], Self.test) }
    // Four pairs more, and eight again: four times 6.4 s.
    #expect(Self.text(cell) == Self.said("`--budget 26s`"))
  }

  @Test func `noisy pairs ask for more pairs or a larger margin`() {
    // 3.3 * 0.05 * sqrt(16 / 15) / 4 = 4.3 %, where 2 % would do: 4.5 times as many pairs, or a margin of 6.4 %.
    #expect(Self.text(Self.cell(16, spread: 0.05)) == Self.said("`--budget 30s`, or `--margin 7%`"))
    // 8.5 %: 18 times as many pairs, or a margin of 12.8 %.
    #expect(Self.text(Self.cell(16, spread: 0.1)) == Self.said("`--budget 120s`, or `--margin 13%`"))
  }

  @Test func `where time does not help, only the margin is advised`() {
    #expect(Self.text(Self.cell(120, spread: 0.2)) == Self.said("`--margin 10%`"))
  }

  @Test func `nothing is advised where more pairs would not help`() {
    #expect(Self.text(CheckFixture.cell("a", 0)) == nil)
    #expect(Self.text(CheckFixture.cell("a", 0.05, 0)) == nil)
    #expect(Self.text(Self.cell(6, spread: 0.001, disturbed: 1)) == nil)
  }

  @Test func `without a pair a longer budget is advised`() {
    #expect(
      CheckFixture.report([Self.cell(0, spread: 0)], proofs: []).notes.first
        == "Not one pair fitted into the budget: give it longer, with `--budget`.")
  }
}
