import Verdicts
import Statistics
import Results
import TestSupport
import Testing

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

  @Test(arguments: [
    ([], "the budget was used up before the pairs told"),
    ([0.05], "regressed at first; the budget was used up before that was confirmed"),
    ([0.05, 0], "regressed at first, unchanged when measured again"),
    ([-0.05, 0.05], "improved at first, regressed when measured again"),
  ])
  func `an undecided cell says why`(slower: [Double], reason: String) {
    var cell = CheckedCell(CellKey(contender: "a", scenario: "s"))
    for (index, share) in slower.enumerated() {
      if index > 0 { cell.beginConfirmation() }
      CheckFixture.add(share, to: &cell)
    }
    #expect(cell.reason == reason)
  }

  @Test func `the resolution is 3.3 standard errors`() throws {
    var check = CellCheck(CellKey(contender: "a", scenario: "s"))
    for ratio in [0.98, 1.02, 0.98, 1.02] {
      check.add(base: [1_000], candidate: [1_000 * ratio], CheckFixture.test)
    }
    // The log-ratios' standard deviation is 0.0231, of four pairs.
    let resolution = try #require(check.resolution)
    #expect(abs(resolution - 3.3 * 0.0231 / 2) < 0.0005)
  }

  /// An error's words are anybody's.
  @Test func `a failure's reason is one line`() {
    var cell = CheckedCell(CellKey(contender: "a", scenario: "s"))
    cell.fail("no file\nof that\u{1B}[31m name")
    #expect(cell.failure == "no file of that [31m name")
  }
}
