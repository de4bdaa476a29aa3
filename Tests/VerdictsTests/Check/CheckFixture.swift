import Results
import Verdicts
import Statistics

/// Cells of a check that have come to what a test wants.
enum CheckFixture {
  static let test = SequentialTest(SequentialTest.Rule(negligible: 0.01, relevant: 0.03))

  /// Pairs of one sample a side whose candidate is slower by about this share, until they are decided.
  static func add(_ share: Double, to cell: inout CheckedCell) {
    for pair in 0..<test.rule.mostPairs {
      let noise = Double(pair % 4) * 0.001 - 0.0015
      if cell.add(base: [1_000], candidate: [1_000 * (1 + share + noise)], test) { return }
    }
  }

  /// - Parameters:
  ///   - slower: by which share the candidate seemed slower, first and when that was confirmed.
  static func cell(
    _ contender: String, _ slower: Double..., role: CheckedCell.Role = .subject,
    scenario: String = "publish-100"
  ) -> CheckedCell {
    var cell = CheckedCell(CellKey(contender: contender, scenario: scenario), role)
    for (index, share) in slower.enumerated() {
      if index > 0 { cell.beginConfirmation() }
      add(share, to: &cell)
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
        $0.dropRule = "steal took more than 1.0 % of one's sample"
      })
  }
}
