import Foundation
import Results
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

  @Test func `the headline counts the rows`() {
    let report = CheckFixture.report([unchanged, improved, regressed, undecided, unchanged])
    #expect(
      report.headline
        == "5 cells against HEAD~1: 1 regressed, 1 inconclusive, 1 improved, 2 unchanged.")
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

  @Test func `a long name has a line of its own`() {
    let long = String(repeating: "n", count: 60)
    let text = CheckFixture.report([CheckFixture.cell(long, 0.05, 0.05)]).document.text()
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
    #expect(text.contains("  publish-100\n    \(long)\n"), "\(text)")
  }

  @Test func `nothing to compare is no pass`() {
    #expect(CheckFixture.report([]).verdict == .inconclusive)
    #expect(CheckFixture.report([]).headline.hasPrefix("Nothing to compare with "))
  }

  @Test func `Markdown folds unchanged cells`() throws {
    let text = CheckFixture.report([unchanged, regressed]).document.markdown
    let fold = try #require(text.range(of: "<details><summary>1 unchanged</summary>"))
    #expect(text[..<fold.lowerBound].contains("| `publish-100` | `b` | +5.0 % ± 0.1 % |"))
    #expect(text[fold.lowerBound...].contains("| `publish-100` | `a` |"))
    #expect(text.hasPrefix("## Something is more expensive than before\n"))
  }

  @Test func `Markdown folds a proof that holds and shows one that fails`() throws {
    let holds = CheckFixture.report([unchanged]).document.markdown
    #expect(holds.contains("<details><summary>proof of this check: 2 as they must be</summary>"), "\(holds)")
    #expect(holds.contains("| found, as it must be |"), "\(holds)")
    let fails = CheckFixture.report([unchanged], proofs: [CheckFixture.cell("a", 0.05, role: .control)])
      .document.markdown
    #expect(fails.contains("\nThe proof of this check fails:\n\n| scenario"), "\(fails)")
    #expect(fails.contains("| regressed |"), "\(fails)")
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

  @Test func `one annotation lists all undecided cells by reason`() {
    let key = CellKey(contender: "a", scenario: "s")
    let rows =
      (1...5).map { _ in CheckRow(key: key, state: .inconclusive, reason: "too short") } + [
        CheckRow(key: key, state: .inconclusive)
      ]
    let lines = CheckReport(against: "x", measure: "time", rows).annotations.split(separator: "\n")
    #expect(
      lines == [
        "::warning title=bench check::6 not decided:%0A5 (s a; s a; s a; and 2 more): too short%0A1 (s a): the interval of the change is too wide to tell",
        "::warning title=bench check::6 cells against x: 6 inconclusive.",
      ])
  }

  @Test func `a shared reason stands below its last row`() {
    let rows = ["a", "b", "c"].map {
      CheckRow(
        key: CellKey(contender: $0, scenario: "s"), state: .inconclusive,
        reason: $0 == "c" ? "other" : "the same")
    }
    let text = CheckReport(against: "x", measure: "time", rows).document.text()
    #expect(
      text.split(separator: "\n").dropFirst(2).map {
        $0.trimmingCharacters(in: .whitespaces).split(separator: " ").joined(separator: " ")
      } == ["s a inconclusive", "s b inconclusive", "the same", "s c inconclusive", "other"], "\(text)")
  }

  @Test func `a check that compared nothing says nothing`() {
    let unmeasured = CheckedCell(CellKey(contender: "a", scenario: "publish-100"))
    #expect(CheckFixture.report([unmeasured]).saysNothing)
    #expect(!CheckFixture.report([unmeasured, CheckFixture.cell("b", 0)]).saysNothing)
    #expect(!CheckFixture.report([CheckFixture.cell("b", 0.05)]).saysNothing)
  }
}
