import Results
import Statistics
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct CheckedCellTests {
  @Test(
    arguments: [
      ([0], .unchanged), ([-0.05], .inconclusive), ([-0.05, -0.05], .improved), ([0.05], .inconclusive),
      ([0.05, 0.05], .regressed),
      ([0.05, 0], .inconclusive), ([-0.05, 0], .inconclusive), ([0.05, -0.05], .inconclusive),
      ([], .inconclusive),
    ] as [([Double], CheckRow.State)])
  func `a change counts only once it is confirmed`(slower: [Double], state: CheckRow.State) {
    var cell = CheckedCell(CellKey(contender: "a", scenario: "s"))
    for (index, share) in slower.enumerated() {
      if index > 0 { cell.beginConfirmation() }
      CheckFixture.add(share, to: &cell)
    }
    #expect(cell.state == state)
    #expect(cell.wantsConfirmation == (slower == [0.05] || slower == [-0.05]))
  }

  @Test func `a failed cell is neither regressed nor confirmed`() {
    var cell = CheckFixture.cell("a", 0.05)
    cell.fail("its worker died")
    #expect(cell.state == .failed)
    #expect(!cell.wantsConfirmation)
  }

  @Test(arguments: [
    (CheckedCell.Role.control, 0.0, true), (.control, 0.05, false), (.control, -0.05, false),
    (.positiveControl, 0, false),
    (.positiveControl, 0.03, true),
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
    // Disturbance only ever adds time.
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
    #expect(cell.reason == (state == .unchanged ? nil : "too noisy: 32 of 96 rounds left out"))
  }

  /// An error's words are anybody's.
  @Test func `a failure's reason is one line`() {
    var cell = CheckedCell(CellKey(contender: "a", scenario: "s"))
    cell.fail("no file\nof that\u{1B}[31m name")
    #expect(cell.failure == "no file of that [31m name")
  }
}

@Suite(.ownThread) struct CheckRowMemoryTests {
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

  /// Pages are counted, not bytes; and one process says nothing of the others.
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
