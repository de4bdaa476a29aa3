import Foundation
import Results
import Statistics
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct CheckReportTests {
  private let unchanged = CheckFixture.cell("a", 0)
  private let regressed = CheckFixture.cell("b", 0.05, 0.05)
  private let improved = CheckFixture.cell("c", -0.05, -0.05)
  private let undecided = CheckFixture.cell("d", 0.05, 0)
  private let failed = CheckFixture.failed("e", "of this build: its worker died")

  @Test func `the worst certain row decides the verdict`() {
    #expect(CheckFixture.report([unchanged, improved]).verdict == .passed)
    #expect(CheckFixture.report([unchanged, undecided]).verdict == .inconclusive)
    #expect(CheckFixture.report([undecided, regressed]).verdict == .regressed)
    #expect(CheckFixture.report([regressed, failed]).verdict == .failed)
  }

  @Test(arguments: [
    (
      [CheckFixture.cell("a", 0.05, role: .control), CheckFixture.proofs[1]],
      "the A/A control, a of the same build on both sides, is called regressed."
    ),
    (
      [CheckFixture.proofs[0], CheckFixture.cell("a", 0, role: .positiveControl)],
      "the positive control, a made slower by 3.0 %, is called unchanged."
    ),
    (
      [CheckFixture.proofs[0], CheckFixture.cell("a", role: .positiveControl)],
      "the positive control, a made slower by 3.0 %, is not decided."
    ),
  ])
  func `a check whose proof fails is inconclusive`(proofs: [CheckedCell], reason: String) {
    let report = CheckFixture.report([unchanged, improved], proofs: proofs)
    #expect(report.verdict == .inconclusive)
    #expect(report.headline.hasPrefix("Inconclusive: \(reason)"))
    // What was confirmed fails the check, whatever else is unproven.
    #expect(CheckFixture.report([unchanged, regressed], proofs: proofs).verdict == .regressed)
  }

  @Test func `rows are sorted by importance`() {
    let report = CheckFixture.report([unchanged, improved, undecided, failed, regressed])
    #expect(report.rows.map(\.state) == [.regressed, .failed, .inconclusive, .improved, .unchanged])
    #expect(report.rows.allSatisfy { $0.isProven == nil })
  }

  @Test func `the text has a row for each cell`() {
    let text = CheckFixture.report([unchanged, improved, regressed, failed]).document.text()
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
    #expect(text.contains("publish-100 b                     +5.0 % ± 0.1 %"), "\(text)")
    #expect(text.contains("      of this build: its worker died"))
    #expect(text.contains("publish-100 a (positive control)"))
    // What was injected is no bad news.
    #expect(text.contains(/a \(positive control\).* found\n/), "\(text)")
  }

  @Test func `nothing to compare is no pass`() {
    #expect(CheckFixture.report([]).verdict == .inconclusive)
    #expect(CheckFixture.report([]).headline.hasPrefix("Nothing to compare with "))
  }

  @Test func `JSON has the verdict and every cell`() throws {
    let text = try CheckFixture.report([unchanged, regressed]).json()
    let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(document["verdict"] as? String == "regressed")
    let cells = try #require(document["cells"] as? [[String: Any]])
    #expect(cells.compactMap { $0["contender"] as? String } == ["b", "a"])
    #expect(cells.compactMap { $0["verdict"] as? String } == ["regressed", "unchanged"])
    #expect((document["proofs"] as? [Any])?.count == 2)
  }

  @Test func `annotations are errors for regressions and warnings for doubt`() {
    let text = CheckFixture.report([unchanged, regressed, undecided]).annotations
    let lines = text.split(separator: "\n")
    #expect(lines.first == "::error title=bench check::publish-100 b: +5.0 %25 ± 0.1 %25")
    #expect(
      lines.contains(
        "::warning title=bench check::1 not decided:%0A1 (publish-100 d): regressed at first, unchanged when measured again"
      ))
    #expect(lines.count == 3)
  }

  @Test func `a check that compared nothing says nothing`() {
    let unmeasured = CheckedCell(CellKey(contender: "a", scenario: "publish-100"))
    #expect(CheckFixture.report([unmeasured]).saysNothing)
    #expect(!CheckFixture.report([unmeasured, CheckFixture.cell("b", 0)]).saysNothing)
    #expect(!CheckFixture.report([CheckFixture.cell("b", 0.05)]).saysNothing)
  }
}

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

  @Test func `noisy pairs ask for more pairs or a larger margin`() {
    // 3.3 * 0.05 * sqrt(16 / 15) / 4 = 4.3 %, where 2 % would do: 4.5 times as many pairs, or a margin of 6.4 %.
    #expect(Self.text(Self.cell(16, spread: 0.05)) == Self.said("`--budget 30s`, or `--margin 7%`"))
    // 8.5 %: 18 times as many pairs, or a margin of 12.8 %.
    #expect(Self.text(Self.cell(16, spread: 0.1)) == Self.said("`--budget 120s`, or `--margin 13%`"))
  }

  @Test func `nothing is advised where more pairs would not help`() {
    #expect(Self.text(CheckFixture.cell("a", 0)) == nil)
    #expect(Self.text(CheckFixture.cell("a", 0.05, 0)) == nil)
    #expect(Self.text(Self.cell(6, spread: 0.001, disturbed: 1)) == nil)
  }
}
