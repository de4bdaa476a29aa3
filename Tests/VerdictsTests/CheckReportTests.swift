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
      "the A/A control (a, the same build on both sides) must be unchanged, but is regressed."
    ),
    (
      [CheckFixture.proofs[0], CheckFixture.cell("a", 0, role: .positiveControl)],
      "the positive control (a, made slower by 3.0 %) must be regressed, but is unchanged."
    ),
    (
      [CheckFixture.proofs[0], CheckFixture.cell("a", role: .positiveControl)],
      "the positive control (a, made slower by 3.0 %) must be regressed, but is undecided."
    ),
  ])
  func `a check whose proof fails is inconclusive`(proofs: [CheckedCell], reason: String) {
    let report = CheckFixture.report([unchanged, improved], proofs: proofs)
    #expect(report.verdict == .inconclusive)
    #expect(report.headline.hasPrefix("Inconclusive: \(reason)"))
    // A confirmed regression fails the check, whatever else is unproven.
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
    // An injected slow-down is no bad news.
    #expect(text.contains(/a \(positive control\).* found\n/), "\(text)")
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

  @Test func `a check that compared nothing is no pass and says nothing`() {
    #expect(CheckFixture.report([]).verdict == .inconclusive)
    #expect(CheckFixture.report([]).headline.hasPrefix("Nothing to compare with "))
    let unmeasured = CheckedCell(CellKey(contender: "a", scenario: "publish-100"))
    #expect(CheckFixture.report([unmeasured]).saysNothing)
    #expect(!CheckFixture.report([unmeasured, CheckFixture.cell("b", 0)]).saysNothing)
    #expect(!CheckFixture.report([CheckFixture.cell("b", 0.05)]).saysNothing)
  }
}

@Suite(.ownThread) struct CheckedCellTests {
  @Test(
    arguments: [
      ([0], .unchanged), ([-0.05], .inconclusive), ([-0.05, -0.05], .improved), ([0.05], .inconclusive),
      ([0.05, 0.05], .regressed),
      ([0.05, 0], .inconclusive), ([-0.05, 0], .inconclusive), ([0.05, -0.05], .inconclusive),
      ([], .inconclusive),
    ] as [([Double], CheckRow.State)])
  func `a change counts only once it is confirmed`(slower: [Double], state: CheckRow.State) {
    let cell = CheckFixture.cell("a", changes: slower)
    #expect(cell.state == state)
    #expect(cell.wantsConfirmation == (slower == [0.05] || slower == [-0.05]))
  }

  @Test func `a failed cell is neither regressed nor confirmed, and its reason is one line`() {
    var cell = CheckFixture.cell("a", 0.05)
    cell.fail("no file\nof that\u{1B}[31m name")
    #expect(cell.failure == "no file of that [31m name")
    #expect(cell.state == .failed)
    #expect(!cell.wantsConfirmation)
  }

  @Test(arguments: [
    (CheckedCell.Role.control, 0.0, true), (.control, 0.05, false), (.control, -0.05, false),
    (.positiveControl, 0, false), (.positiveControl, 0.03, true),
  ])
  func `a proof holds if exactly the injected change is found`(
    role: CheckedCell.Role, slower: Double, isProven: Bool
  ) {
    let cell = CheckFixture.cell("a", slower, role: role)
    #expect(cell.isProven == isProven)
    #expect(!cell.wantsConfirmation)
  }

  @Test(arguments: [(SampleLevel.lowQuarter, 1.1), (.lowHalf, 1.25)])
  func `the fastest samples are compared`(level: SampleLevel, ratio: Double) {
    var check = CellCheck(CellKey(contender: "a", scenario: "s"), level)
    // Disturbance only adds time.
    check.add(base: [100, 900, 300, 900], candidate: [390, 110, 400, 5_000], CheckFixture.test)
    #expect(check.ratio.map { abs($0 - ratio) < 1e-9 } == true)
  }

  @Test func `pairs without samples decide nothing until there are too many`() {
    var check = CellCheck(CellKey(contender: "a", scenario: "s"))
    for _ in 1..<CheckFixture.test.rule.mostPairs { check.add(base: [], candidate: [], CheckFixture.test) }
    #expect(check.verdict == nil)
    check.add(base: [], candidate: [], CheckFixture.test)
    #expect(check.verdict == .inconclusive)
    #expect(check.ratio == nil)
  }

  @Test(arguments: [(3, CheckRow.State.unchanged), (4, .inconclusive)])
  func `a cell without 30 percent of its rounds is undecided`(disturbed: Int, state: CheckRow.State) {
    var cell = CheckedCell(CellKey(contender: "a", scenario: "s"))
    for _ in 0..<CheckFixture.test.rule.fewestPairs {
      _ = cell.add(
        base: [Double](repeating: 1_000, count: 8), candidate: [Double](repeating: 1_000, count: 8),
        disturbed: disturbed, CheckFixture.test)
    }
    #expect(cell.state == state)
    #expect(
      cell.reason == (state == .unchanged ? nil : "too noisy: 32 of 96 rounds were disturbed and left out"))
  }

  private let key = CellKey(contender: "futures", scenario: "publish-instant-1000")

  private func state(_ base: [Int], _ candidate: [Int]) -> CheckRow.State? {
    CheckRow(bytesOf: key, base: base, candidate: candidate)?.state
  }

  @Test func `more memory in every process is a regression`() throws {
    let row = try #require(
      CheckRow(bytesOf: key, base: [2_000_000, 2_100_000], candidate: [67_600_000, 67_700_000]))
    #expect(row.state == .regressed)
    #expect(row.quantity == "memory held")
    #expect(row.change == "1.91 MiB to 2.00 MiB -> 64.5 MiB to 64.6 MiB")
    #expect(row.evidence == "2 processes")
    #expect(state([67_600_000, 67_700_000], [2_000_000, 2_100_000]) == .improved)
  }

  /// Memory is counted in pages, and processes differ.
  @Test(arguments: [
    ([1_000, 1_000], [1_200, 1_200]), ([1_000, 5_000], [1_500, 6_000]), ([1_000, 1_000], [900, 5_000]),
  ])
  func `memory that overlaps or differs by little is unchanged`(base: [Int], candidate: [Int]) {
    #expect(state(base, candidate) == .unchanged)
  }

  @Test func `unknown memory is no row`() {
    #expect(state([], [1]) == nil)
    #expect(state([1], []) == nil)
  }
}

enum CheckFixture {
  static let test = SequentialTest(SequentialTest.Rule(negligible: 0.01, relevant: 0.03))

  /// - Parameter slower: how much slower the candidate is, at first and in the confirmation.
  static func cell(_ contender: String, _ slower: Double..., role: CheckedCell.Role = .subject)
    -> CheckedCell
  { cell(contender, changes: slower, role) }

  static func cell(_ contender: String, changes: [Double], _ role: CheckedCell.Role = .subject)
    -> CheckedCell
  {
    var cell = CheckedCell(CellKey(contender: contender, scenario: "publish-100"), role)
    for (index, share) in changes.enumerated() {
      if index > 0 { cell.beginConfirmation() }
      for pair in 0..<test.rule.mostPairs {
        let noise = Double(pair % 4) * 0.001 - 0.0015
        if cell.add(base: [1_000], candidate: [1_000 * (1 + share + noise)], test) { break }
      }
    }
    return cell
  }

  static func failed(_ contender: String, _ reason: String) -> CheckedCell {
    var cell = CheckedCell(CellKey(contender: contender, scenario: "publish-100"))
    cell.fail(reason)
    return cell
  }

  static let proofs = [cell("a", 0, role: .control), cell("a", 0.03, role: .positiveControl)]

  static func report(_ cells: [CheckedCell], proofs: [CheckedCell] = proofs) -> CheckReport {
    CheckReport(
      cells + proofs,
      CheckReport.DuetTerms {
        ($0.base, $0.candidate, $0.measure) = ("HEAD~1", "this build", "processor time")
        ($0.margin, $0.fewestPairs, $0.seconds) = (0.03, test.rule.fewestPairs, 6.4)
        $0.dropRule = "the hypervisor took more than 1.0 % of a sample's time"
      })
  }
}
