import Conformance
import Dispatch
import Foundation
@testable import Harness
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct VerifyCommandTests {
  private typealias Totals = Verification.Totals

  private let violation = Violation(
    rule: Rule.all[0], contender: "a", pattern: .publish, scenario: "s", seed: 7, seen: "x", promised: "y")

  @Test(arguments: [
    (
      Totals(rules: 9, schedules: 40, checks: 12, interleavings: 7),
      "9 rules, 40 random schedules, 12 checks on services, 7 interleavings in 3 s, seed 5: all passed"
    ),
    (
      Totals(rules: 9, checks: 12, cutShort: 3, untried: 2),
      "9 rules, 12 checks on services in 3 s, seed 5: nothing failed; not all was tried in 3 rows, nothing in 2 of them: give a longer --budget"
    ),
    (
      Totals(rules: 9, violations: 1, cutShort: 1),
      "9 rules in 3 s, seed 5: 1 failed; not all was tried in 1 row: fix what failed, or give a longer --budget"
    ),
    (
      Totals(cutShort: 1, untried: 1),
      "nothing was tried in 3 s, seed 5: nothing failed; not all was tried in 1 row, nothing in 1 of them: give a longer --budget"
    ),
  ])
  func `the last line says only what was tried`(totals: Verification.Totals, expected: String) {
    #expect(VerifyCommand.summary(totals, seed: 5, seconds: 3.2) == expected)
  }

  @Test(arguments: [
    (Totals(rules: 9, checks: 12), ExitCode.fine),
    (Totals(rules: 9, checks: 12, cutShort: 2), .inconclusive),
    (Totals(rules: 9, checks: 12, cutShort: 2, untried: 1), .inconclusive),
    (Totals(rules: 9, violations: 1, cutShort: 2, untried: 1), .contenderFailed),
    (Totals(interleavings: 9, cutShort: 1, untried: 1), .inconclusive),
  ])
  func `a row that was not tried is inconclusive`(totals: Verification.Totals, expected: ExitCode) {
    #expect(VerifyCommand.exitCode(totals) == expected)
  }

  /// A second go for which no time was left does not undo the first.
  @Test func `a second attempt adds to the first`() {
    func result(_ tried: Range<Int>, _ checks: Int, violations: [ServiceChecks.Violation] = []) -> CellResult
    {
      CellResult(
        kit: ConformanceRun.Result(
          tried: tried.map { "rule \($0)" }, rules: (0..<9).map { "rule \($0)" }),
        services: ServiceChecks.Result(checks: checks, violations: violations, isCutShort: true))
    }
    let first = result(0..<5, 3)
    #expect(!first.isUntried && first.isCutShort)
    #expect(result(0..<0, 0).isUntried)
    for (again, untried, checks) in [
      (result(5..<5, 0), 4, 3), (result(5..<9, 0), 0, 3), (result(5..<7, 7), 2, 7),
      (result(5..<5, 1, violations: [ServiceChecks.Violation(scenario: "a", words: "lost")]), 4, 1),
    ] {
      let both = first.followed(by: again)
      #expect(both.kit.untried.count == untried)
      #expect(both.services.checks == checks)
      #expect(both.hasFailed == again.hasFailed)
    }
  }

  @Test(arguments: [
    ["--patterns", "race"], ["--on", "pool"], ["--seed", "3"], ["--budget", "1s"],
    ["--endpoint", "http://h"],
  ])
  func `a store check refuses other options`(arguments: [String]) {
    let known = ContenderList([Named("a")])
    #expect {
      try VerifyCommand.run(["--media", "m", "--store", "s"] + arguments, among: known)
    } throws: {
      "\($0)"
        == "--media and \(arguments[0]) exclude each other: a store is compared with its media, and is not filled."
    }
  }

  @Test(arguments: [false, true])
  func `quiet output has a row for what was not tried`(isQuiet: Bool) throws {
    var lines: [String] = []
    // Without time nothing is tried, and so nothing fails.
    let verification = Verification(
      [Named("a")], [.publish], seed: 1, budgetNanoseconds: 0, isQuiet: isQuiet, print: { lines.append($0) })
    try verification.runOnce()
    #expect(lines.count == (isQuiet ? 1 : 2), "\(lines)")
    #expect(verification.totals.cutShort == 1)
    #expect(verification.totals.untried == 1)
  }

  /// If the user ends it before its row is there, it has failed all the same.
  @Test func `a violation counts before its row is complete`() {
    let verification = Verification([Named("a")], [.publish], seed: 1, budgetNanoseconds: 0, print: { _ in })
    verification.show(violation)
    #expect(
      VerifyCommand.summary(verification.totals, seed: 1, seconds: 1, isOver: false).hasSuffix("1 failed"))
  }

  @Test(arguments: [(nil, ""), (.queue, " --on queue")] as [(CompletionContext?, String)])
  func `the command that repeats a failure is printed`(_ context: CompletionContext?, _ place: String) {
    var lines: [String] = []
    let verification = Verification(
      [Named("a")], [.publish], on: context, seed: 1, budgetNanoseconds: 0, print: { lines.append($0) })
    verification.show(violation)
    #expect(lines[0].contains("verify --contenders a\(place) --patterns publish --seed 7\n"), "\(lines)")
  }

  @Test func `verify takes one context at a time`() {
    let known = ContenderList([Named("a", [.publish])])
    #expect(throws: UsageError.self) { try VerifyCommand.run(["--on", "queue,pool"], among: known) }
    #expect(throws: UsageError.self) { try VerifyCommand.run(["--on", "everywhere"], among: known) }
  }

  @Test func `the same violation in several scenarios is reported once`() {
    let told = [("a-1", "a process: left"), ("a-2", "lost"), ("a-3", "a process: left"), (nil, "no: disk")]
      .map { ServiceChecks.Violation(scenario: $0, words: $1) }
    #expect(Verification.merged(told) == ["a-1 and 1 other: a process: left", "a-2: lost", "no: disk"])
  }

  @Test func `a violation of a later row is reported at once`() {
    let isTold = DispatchSemaphore(value: 0)
    let rows = Lanes(2, lanes: 2) { index, found in
      if index == 1 { found(violation) } else { isTold.wait() }
      return index
    }
    var told: [Violation] = []
    let first = rows.outcome(of: 0) {
      told.append($0)
      isTold.signal()
    }
    #expect(first == 0)
    #expect(told == [violation])
    #expect(rows.outcome(of: 1) { told.append($0) } == 1)
    #expect(told.count == 1)
  }

  @Test func `a pattern without a contender is refused`() {
    let known = ContenderList([Named("a", [.publish])])
    #expect(Bench.run(["verify", "--patterns", "race"], among: known) == .usage)
    #expect(throws: UsageError.self) { try VerifyCommand.run(["--patterns", "race"], among: known) }
  }

  @Test func `a replay takes no other option`() {
    let known = ContenderList([Named("a", [.publish])])
    #expect(throws: UsageError.self) {
      try VerifyCommand.run(["--replay", "/none", "--seed", "2"], among: known)
    }
    // This list has no contender that supports exploration.
    #expect(throws: UsageError.self) { try VerifyCommand.run(["--replay", "/none"], among: known) }
  }

  @Test(arguments: [
    (
      #"echo '{"schedules":5,"jobs":2,"coverage":[],"findings":[],"wasCutShort":false,"unexplored":[]}'"#,
      nil as WorkerFailure?
    ),
    ("kill -11 $$", .died(how: "signal 11")), ("echo nonsense", .garbled(line: "nonsense")),
  ])
  func `an exploration that ends without a report is a failure`(script: String, expected: WorkerFailure?)
    throws
  {
    let process = try LineProcess(
      executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", script], isInterrupted: { false })
    defer { process.stop() }
    do throws(WorkerFailure) {
      #expect(try process.readValue(as: ExplorationReport.self, seconds: 60).schedules == 5)
      #expect(expected == nil)
    } catch { #expect(error == expected) }
  }
}
