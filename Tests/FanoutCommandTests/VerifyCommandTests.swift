import Conformance
import Dispatch
import Foundation
import Results
import TestSupport
import Testing
import UploadScenario
import Verdicts

@testable import FanoutCommand
@testable import Harness

private let rules = Rule.all.filter { $0.patterns.contains(.publish) }
private let violation = Violation(
  rule: rules[0], contender: "a", pattern: .publish, scenario: "s", seed: 7, seen: "x", promised: "y")

@Suite(.ownThread) struct VerifyCommandTests {
  private typealias Totals = Verification.Totals

  @Test(
    arguments: [
      (
        Totals(rules: 9, schedules: 40, checks: 12, interleavings: 7), .fine,
        "9 rules, 40 random schedules, 12 checks on services, 7 interleavings in 3 s, seed 5: all passed"
      ),
      (
        Totals(rules: 9, checks: 12, cutShort: 2), .inconclusive,
        "9 rules, 12 checks on services in 3 s, seed 5: nothing failed; not all was tried in 2 rows: give a longer --budget"
      ),
      (
        Totals(rules: 9, checks: 12, cutShort: 3, untried: 2), .inconclusive,
        "9 rules, 12 checks on services in 3 s, seed 5: nothing failed; not all was tried in 3 rows, nothing in 2 of them: give a longer --budget"
      ),
      (
        Totals(rules: 9, violations: 1, cutShort: 1), .contenderFailed,
        "9 rules in 3 s, seed 5: 1 failed; not all was tried in 1 row: fix what failed, or give a longer --budget"
      ),
      (
        Totals(cutShort: 1, untried: 1), .inconclusive,
        "nothing was tried in 3 s, seed 5: nothing failed; not all was tried in 1 row, nothing in 1 of them: give a longer --budget"
      ),
    ] as [(Verification.Totals, ExitCode, String)])
  func `the exit code and the last line say only what was tried`(
    totals: Verification.Totals, code: ExitCode, line: String
  ) {
    #expect(VerifyCommand.exitCode(totals) == code)
    #expect(VerifyCommand.summary(totals, seed: 5, seconds: 3.2) == line)
  }

  /// A second attempt without any time left keeps the first one's results.
  @Test func `a second attempt adds to the first`() {
    func result(_ tried: Range<Int>, _ checks: Int, violations: [ServiceChecks.Violation] = []) -> CellResult
    {
      CellResult(
        kit: ConformanceRun.Result(tried: tried.map { "rule \($0)" }, rules: (0..<9).map { "rule \($0)" }),
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

  /// This list has no contender that races or supports exploration.
  @Test(arguments: [
    ["--on", "queue,pool"], ["--on", "everywhere"], ["--patterns", "race"], ["--replay", "/none"],
    ["--replay", "/none", "--seed", "2"],
  ])
  func `bad arguments are refused`(arguments: [String]) {
    let known = ContenderList([Named("a", [.publish])])
    #expect(throws: UsageError.self) { try VerifyCommand.run(arguments, among: known) }
    #expect(Bench.run(["verify"] + arguments, among: known) == .usage)
  }

  @Test(arguments: [
    ["--patterns", "race"], ["--on", "pool"], ["--seed", "3"], ["--budget", "1s"],
    ["--endpoint", "http://h"],
  ])
  func `a store check refuses other options`(arguments: [String]) {
    let known = ContenderList([Named("a")])
    #expect { try VerifyCommand.run(["--media", "m", "--store", "s"] + arguments, among: known) } throws: {
      "\($0)"
        == "--media and \(arguments[0]) exclude each other: --media only compares a store with its media files."
    }
  }

  @Test(arguments: [false, true])
  func `quiet output has a row for what was not tried`(isQuiet: Bool) throws {
    var lines: [String] = []
    // Without any time nothing is tried, and nothing fails.
    let verification = Verification(
      [Named("a")], [.publish], seed: 1, budgetNanoseconds: 0, isQuiet: isQuiet, print: { lines.append($0) })
    try verification.runOnce()
    #expect(lines.count == (isQuiet ? 1 : 2), "\(lines)")
    #expect(verification.totals.cutShort == 1)
    #expect(verification.totals.untried == 1)
  }

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

  @Test func `the same violation in several scenarios is reported once`() {
    let found = [("a-1", "a process: left"), ("a-2", "lost"), ("a-3", "a process: left"), (nil, "no: disk")]
      .map { ServiceChecks.Violation(scenario: $0, words: $1) }
    #expect(Verification.merged(found) == ["a-1 and 1 other: a process: left", "a-2: lost", "no: disk"])
  }

  @Test func `a violation of a later row is reported at once`() {
    let isShown = DispatchSemaphore(value: 0)
    let rows = Lanes(2, lanes: 2) { index, found in
      if index == 1 { found(violation) } else { isShown.wait() }
      return index
    }
    var shown: [Violation] = []
    let first = rows.outcome(of: 0) {
      shown.append($0)
      isShown.signal()
    }
    #expect(first == 0)
    #expect(shown == [violation])
    #expect(rows.outcome(of: 1) { shown.append($0) } == 1)
    #expect(shown.count == 1)
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

/// The parent's side of a run of the kit; shell scripts play the worker.
@Suite(.ownThread) struct ConformanceRunTests {
  /// A worker that prints these lines, and then runs `end`.
  private func process(_ lines: [String], then end: String = "") throws(WorkerFailure) -> LineProcess {
    let said = lines.map { "printf '%s\\n' '\($0)'\n" }.joined()
    return try LineProcess(
      executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", said + end], isInterrupted: { false })
  }

  private func line(_ rule: Rule, violations: [Violation]? = nil) -> String {
    func json(_ value: some Encodable) -> String {
      String(decoding: (try? JSONEncoder().encode(value)) ?? Data(), as: UTF8.self)
        .replacing("'", with: "\\u0027")
    }
    let found = violations.map { ",\"violations\":\(json($0))" } ?? ""
    return "{\"rule\":\(json(rule)),\"pattern\":\"publish\"\(found)}"
  }

  private func tried(_ rules: some Sequence<Rule>) -> [String] {
    rules.flatMap { [line($0), line($0, violations: [])] }
  }

  private let kit = ConformanceRun(contender: "a", pattern: .publish, seed: 7)

  @Test func `a violation is reported while the worker tries the next rule`() throws {
    let reported = Scratch()
    let kit = ConformanceRun(contender: "a", pattern: .publish, seed: 7, timeoutSeconds: 20)
    let result = kit.run { violation in
      _ = try? reported.write("", to: violation.rule)
    } _: { _ throws(WorkerFailure) in
      try process(
        [line(rules[0]), line(rules[0], violations: [violation]), line(rules[1])],
        then: "while [ ! -e '\(reported.path(rules[0].name))' ]; do sleep 0.01; done; echo done")
    }
    #expect(result.violations == [violation])
    #expect(!result.passes(rules[0].name))
    #expect(result.tried == [rules[0].name])
  }

  @Test(arguments: [
    ("kill -11 $$", "the worker process died: signal 11"),
    ("exit 4", "the worker process died: exit status 4"),
    ("echo nonsense; read line", "the worker process's answer is not a sample: nonsense"),
    ("read line", "the worker process gave no answer within 1 s and was killed"),
  ])
  func `a rule in which the worker ends is broken, and the others are tried`(end: String, seen: String) {
    var starts: [[String]] = []
    let kit = ConformanceRun(contender: "a", pattern: .publish, seed: 7, timeoutSeconds: 1)
    let result = kit.run { names throws(WorkerFailure) in
      starts.append(names)
      return starts.count == 1
        ? try process(tried(rules.prefix(2)) + [line(rules[2])], then: end)
        : try process(tried(rules.dropFirst(3)) + ["done"])
    }
    #expect(starts == [rules.map(\.name), rules.dropFirst(3).map(\.name)])
    #expect(result.tried == rules.map(\.name) && result.untried.isEmpty)
    #expect(result.violations.map(\.rule) == [rules[2].name])
    #expect(result.violations.first?.seen == seen)
    #expect(result.violations.first?.seed == 7)
  }

  @Test func `a worker that others kept from the processors breaks nothing, and its rules are untried`() {
    let result = kit.run { _ throws(WorkerFailure) in throw .starved(seconds: 9) }
    #expect(result.violations.isEmpty && result.tried.isEmpty && result.wasStarved)
    #expect(result.untried == rules.map(\.name))
  }

  @Test func `a violation found at first is neither tried nor reported again`() {
    let look = kit.run { _ throws(WorkerFailure) in
      try process(
        [line(rules[0]), line(rules[0], violations: [violation])] + tried(rules.dropFirst()) + ["done"])
    }.afterFirstLook
    #expect(look.tried == [rules[0].name])
    var reported: [Violation] = []
    let rest = kit.run(after: look) {
      reported.append($0)
    } _: { names throws(WorkerFailure) in
      #expect(names == rules.dropFirst().map(\.name))
      return try process(
        [line(rules[1]), line(rules[1], violations: [violation])] + tried(rules.dropFirst(2)) + ["done"])
    }
    #expect(reported == [])
    let both = look.followed(by: rest)
    #expect(both.untried.isEmpty)
    #expect(both.violations == [violation])
  }

  @Test func `a worker that cannot start twice is reported once`() {
    let look = kit.run { _ throws(WorkerFailure) in throw .cannotStart(reason: "no disk") }.afterFirstLook
    let rest = kit.run(after: look) { _ throws(WorkerFailure) in throw .cannotStart(reason: "no disk") }
    #expect(look.violations.map(\.seen) == ["the worker process could not be started: no disk"])
    #expect(rest.violations == [])
  }

  @Test(arguments: [
    ("exit 3", "the worker process died: exit status 3"),
    ("printf '{\"rule'", "the worker process died: exit status 0"),
    ("echo garbage; read line", "the worker process's answer is not a sample: garbage"),
  ])
  func `a failure after the last rule counts for the last rule`(end: String, seen: String) throws {
    let result = kit.run { _ throws(WorkerFailure) in try process(tried(rules), then: end) }
    #expect(result.tried == rules.map(\.name))
    let violation = try #require(result.violations.first)
    #expect(result.violations.count == 1)
    #expect(violation.rule == rules[rules.count - 1].name)
    #expect(violation.scenario == "after the end of \(violation.rule)")
    #expect(violation.seen == seen)
  }

  @Test func `a worker that dies before the first rule is not started again`() {
    var starts = 0
    let result = kit.run { _ throws(WorkerFailure) in
      starts += 1
      return try process([], then: "kill -6 $$")
    }
    #expect(starts == 1)
    #expect(result.violations.map(\.scenario) == ["before the first rule"])
    #expect(result.untried == rules.map(\.name))
  }

  @Test func `a worker that tries other rules than requested is no progress`() {
    let result = kit.run(only: [rules[0].name]) { _ throws(WorkerFailure) in
      try process(tried(rules.dropFirst()) + ["done"])
    }
    #expect(result.tried.isEmpty)
    #expect(result.violations.count == 1)
  }

  @Test func `an interrupt ends the run without a violation`() {
    let result = kit.run { _ throws(WorkerFailure) in
      try LineProcess(
        executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", "read line"], isInterrupted: { true })
    }
    #expect(result.wasInterrupted)
    #expect(result.violations.isEmpty)
  }
}

/// Worker processes whose contender cheats, beside two honest ones, as in the documentation's table of cheats.
@Suite(.ownThread(minutes: 10), .serialized, .enabled(if: isLinux, "Linux alone shows other processes"))
struct CheatRunTests {
  static let executable = WorkerCommand.executable.deletingLastPathComponent().appendingPathComponent(
    "cheats")

  private static let publish = Scenario(name: "publish", photos: 10)
  private static let presigned = Scenario(name: "presigned", pattern: .presigned, photos: 3)
  private static let stream = Scenario(name: "stream", pattern: .stream, photos: 1, payloadBytes: 640 * 1024)
  private static let race = Scenario(name: "race", pattern: .race, service: .latency, photos: 10) {
    $0.hedgeDelay = .zero
  }

  private func samples(_ cheat: String, in scenario: Scenario) throws -> [Sample] {
    var samples: [Sample] = []
    let plan = RunPlan(run: "test", contenders: ["honest", "other", cheat], scenarios: [scenario]) { plan in
      plan.generations = 1
      plan.rounds = 4
      plan.warmUpSamples = 2
      plan.countedGenerations = 0
      plan.timeoutNanoseconds = 1_900_000_000
    }
    let launch: WorkerLauncher<SampleRequest<Scenario>> = { name, _ throws(WorkerFailure) in
      try WorkerProcess<SampleRequest<Scenario>>(
        executable: Self.executable, arguments: ["worker", "--contender", name], isInterrupted: { false })
    }
    #expect(try Runner(plan: plan, launcher: launch, record: { samples.append($0) }).run())
    return samples
  }

  @Test(
    arguments: [
      ("preparesOnce", presigned, "media files: got 0 prepared by the service, expected 3 prepared"),
      ("forgesReceipts", race, "races had no winner"),
      ("forks", publish, "the contender has started a process, which is not allowed"),
      ("uploadsOnce", publish, "expected"), ("asksTwice", publish, "expected"),
      ("completesEarly", publish, "expected"),
      ("readsElsewhere", stream, "chunks: got 0 read by the service, expected"),
      ("writesGarbage", publish, "is not a sample"),
      ("pinsItself", publish, "a thread of the worker process changed its set of processors"),
      ("takesBatch", publish, "a thread of the worker process changed its scheduling class"),
      ("forksAway", publish, "the contender has started a process, which is not allowed"),
      ("exits", publish, "the worker process died: exit status 0"),
      ("aborts", publish, "the worker process died: signal 6"),
      ("losesItsPosts", publish, "no completion within 1900 ms"),
      ("letsGoLate", publish, "something is left"),
    ].prefix(Effort.count(5, thorough: 100)) as ArraySlice<(String, Scenario, String)>)
  func `a cheat is detected and the honest contenders are ranked`(
    _ cheat: String, scenario: Scenario, reason: String
  ) throws {
    let samples = try samples(cheat, in: scenario)
    let reasons = samples.filter { $0.contender == cheat }.compactMap(\.reason)
    #expect(reasons.contains { $0.contains(reason) }, "\(reasons)")
    #expect(samples.allSatisfy { $0.contender == cheat || $0.outcome == .measured })
  }

  /// Without the privilege they change nothing, and are measured.
  @Test(
    .enabled(if: Placement.realTime.isPermitted),
    arguments: [
      ("takesFIFO", "a thread of the worker process changed its scheduling class"),
      (
        "raisesItsPriority", "a thread of the worker process has a higher priority than Dispatch gives to any"
      ),
    ])
  func `a contender that raises its priority is detected`(_ cheat: String, reason: String) throws {
    #expect(try samples(cheat, in: Self.publish).contains { $0.contender == cheat && $0.reason == reason })
  }

  @Test func `no contender is ranked if a worker was stopped by a signal`() throws {
    let samples = try samples("stopsOthers", in: Self.publish)
    for contender in ["honest", "other", "stopsOthers"] {
      #expect(
        samples.contains {
          $0.contender == contender && $0.reason?.contains("was stopped or continued by a signal") == true
        }, "\(contender)")
    }
  }

  @Test func `a killed worker fails with its signal, and the run goes on`() throws {
    // As `bench` does: a killed worker reads no request.
    signal(SIGPIPE, SIG_IGN)
    let samples = try samples("killsOthers", in: Self.publish)
    for contender in ["honest", "other"] {
      #expect(
        samples.contains { $0.contender == contender && $0.reason?.contains("signal 9") == true },
        "\(contender): \(samples.compactMap(\.reason))")
    }
  }

  @Test(.enabled(if: Effort.isThorough)) func `a process that a contender forked away ends with the run`()
    throws
  {
    _ = try samples("forksAway", in: Self.publish)
    let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
    let left = processes.filter {
      let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")
      return file == Self.executable.resolvingSymlinksInPath().path
    }
    #expect(left.isEmpty)
  }

  private typealias Case = (
    contender: String, options: [String], statuses: [ExitCode], words: String, seconds: Int
  )

  /// The first and the last run always. A hang takes the whole budget of 60 s, and two seconds to kill the worker.
  private static let cases: [Case] = [
    ("forks", [], [.contenderFailed], "the contender has started a process, which is not allowed", 70),
    ("hangsAtOnce", [], [.contenderFailed], "gave no answer", 70),
    ("exits", [], [.contenderFailed], "the worker process died: exit status 0", 70),
    ("aborts", [], [.contenderFailed], "the worker process died: signal 6", 70),
    ("abortsAtExit", [], [.fine], "all passed", 70),
    ("hangs", ["--budget", "4s"], [.contenderFailed], "not all was tried in 1 row", 10),
    ("letsGoLate", ["--budget", "20s"], [.inconclusive, .contenderFailed], "not tried of letsGoLate: ", 70),
    ("saysTooMuch", [], [.contenderFailed], "passes limit: remove it", 70),
    ("saysAll", [], [.fine], "all passed", 70),
  ]

  @Test(arguments: Effort.isThorough ? cases : [cases[0], cases[8]])
  private func `verify ends within its budget and says how the contender ended`(_ one: Case) throws {
    let start = ContinuousClock.now
    let said = try Program.run(
      [Self.executable.path, "verify", "--contenders", one.contender, "--patterns", "publish"] + one.options)
    #expect(one.statuses.map(\.rawValue).contains(said.status), "\(said.output)")
    #expect(said.output.contains(one.words), "\(said.output)")
    #expect(ContinuousClock.now - start < .seconds(one.seconds))
  }
}

private let isLinux = FileManager.default.fileExists(atPath: "/proc/self/exe")
