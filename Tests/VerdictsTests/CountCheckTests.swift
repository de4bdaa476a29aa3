import Verdicts
import Foundation
import Results
import TestSupport
import Testing

@Suite(.ownThread) struct CountCheckTests {
  private static let key = CellKey(contender: "a", scenario: "publish-10")

  /// A cell whose processes all counted these passes.
  private static func cell(
    _ passes: [Int], _ quantity: CountedQuantity = .allocations, processes: Int = 2, key: CellKey = key
  ) -> CountedCell {
    var cell = CountedCell(key)
    for _ in 0..<processes { cell.add(passes.map { [quantity: $0] }) }
    return cell
  }

  private static func committed(_ count: CommittedCount?, _ key: CellKey = key) -> CountRecord {
    var row = CountRecord {
      $0.key = CountKey(toolchain: "t", system: "s", architecture: "a", turns: "real-time")
      $0.contender = key.contender
      $0.scenario = key.scenario
    }
    row[.allocations] = count
    return row
  }

  /// The controls of a proof, one with 10 injected allocations.
  private static func proof(control: [Int] = [204, 204], positive: [Int] = [214, 214]) -> CountProof {
    CountProof(
      subject: [cell([204, 204])], control: [cell(control)], positiveControl: [cell(positive)],
      injected: ["publish-10": [.allocations: 10]])
  }

  private static func report(
    _ cells: [CountedCell], _ rows: [CountRecord], proof: CountProof? = proof(), diff: String? = nil
  ) -> CheckReport {
    CheckReport(
      cells, against: rows, proof,
      CheckReport.CountTerms {
        ($0.base, $0.iteration, $0.turns) = ("counters.csv", "post", "real-time turns")
      }, diff: diff)
  }

  @Test(
    arguments: [
      ([204, 204], .exact(204), .unchanged, "204"), ([205, 205], .exact(204), .regressed, "204 -> 205, +1"),
      ([201, 201], .exact(204), .improved, "204 -> 201, -3"),
      // More in some posts is no increase, and in most posts none that is proved.
      ([204, 204, 205], .exact(204), .unchanged, "204"),
      ([204, 205, 205], .exact(204), .inconclusive, "204"),
      ([203, 204], .exact(204), .improved, "204 -> 203, -1"),
      // The cheapest post has more.
      ([205, 206], .exact(204), .regressed, "204 -> 205, +1"),
      ([204, 209], .within(203...205), .unchanged, "203 to 205 -> 204"),
      ([207, 206], .within(203...205), .regressed, "203 to 205 -> 206, +1"),
      ([202, 202], .within(203...205), .improved, "203 to 205 -> 202, -1"),
      ([], .within(203...205), .inconclusive, ""), ([205, 205], nil, .inconclusive, "205"),
      ([], .exact(204), .inconclusive, ""),
    ] as [([Int], CommittedCount?, CheckRow.State, String)])
  func `an exact count gates to the unit, a range by its cheapest posts`(
    counts: [Int], committed: CommittedCount?, state: CheckRow.State, change: String
  ) throws {
    let row = try #require(Self.report([Self.cell(counts)], [Self.committed(committed)]).rows.first)
    #expect((row.state, row.change, row.quantity) == (state, change, "allocations per post"))
  }

  @Test func `one process proves nothing`() throws {
    let report = Self.report([Self.cell([205, 205], processes: 1)], [Self.committed(.exact(204))])
    #expect(report.rows.map(\.state) == [.inconclusive])
  }

  @Test func `a count that varies as in the file passes`() {
    let other = CellKey(contender: "b", scenario: "publish-10")
    let report = Self.report(
      [Self.cell([204, 204]), Self.cell([1, 2], key: other)],
      [Self.committed(.exact(204)), Self.committed(.within(0...1), other)])
    #expect(report.verdict == .passed)
    #expect(report.headline == "2 counts against counters.csv: 2 unchanged.")
    #expect(
      report.notes.contains(
        "1 count is not the same in every post: the smallest counts are compared with the range in the file."
      ))
  }

  @Test(arguments: [
    ([205, 205], [214, 214], "(A/A control), allocations per post, 204 -> 205, +1."),
    ([205, 206], [214, 214], "(A/A control), allocations per post, 205 to 206."),
    ([204, 204], [204, 204], "(positive control), allocations per post, 204."),
    ([204, 204], [215, 215], "(positive control), allocations per post, 204 -> 215, +11."),
  ])
  func `a check whose proof fails is inconclusive`(control: [Int], positive: [Int], doubt: String) {
    let report = Self.report(
      [Self.cell([204, 204])], [Self.committed(.exact(204))],
      proof: Self.proof(control: control, positive: positive))
    #expect(report.verdict == .inconclusive)
    #expect(report.doubts == ["the control failed: publish-10 a " + doubt])
  }

  @Test func `a check without a proof is inconclusive`() {
    #expect(
      Self.report([Self.cell([204, 204])], [Self.committed(.exact(204))], proof: nil).verdict == .inconclusive
    )
  }

  @Test func `a committed cell that this build lacks is inconclusive`() {
    let gone = CellKey(contender: "gone", scenario: "publish-10")
    let report = Self.report(
      [Self.cell([204, 204])], [Self.committed(.exact(204)), Self.committed(.exact(1), gone)])
    #expect(report.verdict == .inconclusive)
    #expect(report.rows.first?.key == gone)
    #expect(report.rows.first?.reason?.contains("--update removes it") == true)
  }

  @Test func `a failed contender fails the check`() {
    var cell = CountedCell(Self.key)
    cell.fail("its worker died")
    let report = Self.report([cell], [Self.committed(.exact(204))], proof: nil)
    #expect(report.verdict == .failed)
  }

  @Test func `the committed range is that of the processes' cheapest posts`() throws {
    var cell = CountedCell(Self.key)
    cell.add([[.allocations: 9], [.allocations: 5]])
    #expect(cell.cheapest(.allocations) == nil)
    cell.add([[.allocations: 7], [.allocations: 8]])
    #expect(cell.cheapest(.allocations) == 5...7)
    #expect(cell.range(of: .allocations) == 5...9)
    #expect(cell.commitment(to: .allocations) == .within(5...7))
    // A range is extended by one that overlaps, and replaced by another.
    #expect(cell.commitment(to: .allocations, joining: .within(7...8)) == .within(5...8))
    #expect(cell.commitment(to: .allocations, joining: .within(8...9)) == .within(5...7))
    #expect(cell.commitment(to: .allocations, joining: .exact(5)) == .within(5...7))
    #expect(Self.cell([6, 6]).commitment(to: .allocations) == .exact(6))
    #expect(Self.cell([6, 6]).commitment(to: .allocations, joining: .within(5...7)) == .within(5...7))
  }

  @Test func `every format shows how the file was changed`() throws {
    let report = Self.report(
      [Self.cell([204, 204])], [Self.committed(.exact(204))], diff: "--- a\n+++ a\n-1\n+2\n")
    #expect(report.document.text().hasPrefix("--- a\n+++ a\n-1\n+2\n\n1 count against"))
    #expect(report.document.markdown.contains("```diff\n--- a\n+++ a\n-1\n+2\n```"))
    #expect(try report.json().contains("\"diff\" : \"--- a\\n+++ a\\n-1\\n+2\\n\""))
  }
}
