import Testing

@testable import BenchCommand

@Suite struct VerifyCommandTests {
  @Test(arguments: [
    (0, 0, "9 rules, 40 random schedules and 12 checks on services in 3 s, seed 5: every promise was kept"),
    (1, 0, "9 rules, 40 random schedules and 12 checks on services in 3 s, seed 5: 1 promise was broken"),
    (
      0, 2,
      "9 rules, 40 random schedules and 12 checks on services in 3 s, seed 5: no promise was broken; time ran out in 2 rows: give a longer --budget"
    ),
  ])
  func theLastLineSaysOnlyWhatWasDone(violations: Int, cutShort: Int, expected: String) {
    let tally = Verification.Tally(
      rules: 9, schedules: 40, checks: 12, violations: violations, cutShort: cutShort)
    #expect(VerifyCommand.summary(tally, seed: 5, seconds: 3.2) == expected)
  }

  @Test func aPatternThatNobodyWritesIsRefused() {
    let known = ContenderList([Named("a", [.publish])])
    #expect(Bench.run(["verify", "--patterns", "race"], among: known) == .usage)
    #expect(throws: UsageError.self) { try VerifyCommand.run(["--patterns", "race"], among: known) }
  }
}
