import Exports
import Foundation
import Results
import Synchronization
import TestSupport
import Testing
import UploadScenario
import Verdicts

@testable import FanoutCommand
@testable import Harness

@Suite(.ownThread) struct RecordingTests {
  private let folder = RecordedFolder()

  /// Two contenders in two generations of two rounds, after one warm-up sample.
  private func record(
    awake: LatencyRequest? = nil,
    _ answer: @escaping (String, SampleRequest<Scenario>) throws(WorkerFailure) -> SampleReply
  ) throws -> (recording: Recording, report: Reporting, read: [Sample]) {
    let directory = try RunDirectory.create(name: "r", in: folder.path)
    let plan = RunPlan(
      run: "r", contenders: ["a", "b"], scenarios: [Scenario(name: "publish-instant-1", photos: 1)]
    ) { plan in
      plan.generations = 2
      plan.rounds = 2
      plan.warmUpSamples = 1
      plan.countedGenerations = 0
    }
    let analysis = AnalysisOptions(reference: "a") { $0.plannedCells = plan.cells }
    let recording = try Recording.measure(
      plan, in: directory, analysis: analysis, launcher: fakeWorkers(answer), isQuiet: true, awake: awake)
    let report = Reporting(recording, analysis: analysis)
    try report.write()
    return (recording, report, try RecordedRun.samples(in: directory).samples)
  }

  @Test func `a worker that dies leaves a readable run`() throws {
    var requested = 0
    let (recording, report, read) = try record { contender, request throws(WorkerFailure) in
      if contender == "b" { requested += 1 }
      if contender == "b", requested > 2 { throw .died(how: "signal 11") }
      return .measured(request, nanoseconds: 1_000)
    }
    #expect(read == recording.samples)
    #expect(recording.environment.latencyRequestMicroseconds == nil)
    #expect(read.count { $0.contender == "a" && $0.outcome == .measured } == 6)
    let last = try #require(read.last { $0.contender == "b" })
    #expect(last.outcome == .failed && last.reason == "the worker process died: signal 11")
    #expect(read.count { $0.contender == "b" } == 3)
    #expect(report.failures == ["b is not ranked on publish-instant-1: the worker process died: signal 11"])
    #expect(report.exitCode == .contenderFailed)
  }

  @Test func `the latency request is held until the last sample`() throws {
    let path = folder.path + "/latency"
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let request = try LatencyRequest(path: path, isSupported: true)
    var byte: UInt8 = 7
    for _ in 0..<4 { #expect(read(reader, &byte, 1) == 1 && byte == 0) }
    var isHeld = true
    let (recording, _, _) = try record(awake: request) { _, request throws(WorkerFailure) in
      isHeld = isHeld && read(reader, &byte, 1) == -1
      return .measured(request, nanoseconds: 1_000)
    }
    #expect(isHeld)
    // A process that another test starts has a copy of the descriptor until it runs its own program.
    var end = pollfd(fd: reader, events: 0, revents: 0)
    #expect(poll(&end, 1, 60_000) == 1)
    #expect(read(reader, &byte, 1) == 0)
    #expect(try recording.directory.readEnvironment().latencyRequestMicroseconds == 0)
  }

  @Test func `a run that ends before its first sample leaves no files`() throws {
    let directory = try RunDirectory.create(name: "r", in: folder.path)
    let plan = RunPlan(
      run: "r", contenders: ["a"], scenarios: [Scenario(name: "publish-instant-1", photos: 1)])
    let error = #expect(throws: Interrupted.self) {
      try Recording.measure(
        plan, in: directory, analysis: AnalysisOptions(reference: "a"),
        launcher: fakeWorkers { _, request throws(WorkerFailure) in .measured(request, nanoseconds: 1_000) },
        isQuiet: true, isInterrupted: { true })
    }
    #expect(error?.description == "interrupted; nothing was measured, so no run was recorded")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `a disturbed sample is dropped alone`() throws {
    var requested = 0
    let (_, report, read) = try record { contender, request throws(WorkerFailure) in
      var reply = SampleReply.measured(request, nanoseconds: 1_000)
      if contender == "b" { requested += 1 }
      // After its warm-up, in the first round.
      if contender == "b", requested == 2 { reply.disturbance.stealNanoseconds = reply.wallNanoseconds }
      return reply
    }
    let dropped = read.filter { $0.dropped == .disturbed }
    #expect(dropped.map(\.contender) == ["b"])
    #expect(Set(dropped.map { [$0.generation, $0.round] }) == [[0, 1]])
    #expect(read.count { $0.dropped == nil } == 7)
    #expect(report.exitCode == .fine)
  }
}

@Suite(.ownThread) struct ReportingTests {
  @Test func `contenders that failed for the same reason share a line`() throws {
    let folder = RecordedFolder()
    let reasons = ["a": "gone", "b": "gone", "c": "late"]
    let samples = RecordedFolder.samples(contenders: ["floor", "a", "b", "c"], scenarios: ["publish-file-1"])
    {
      guard let reason = reasons[$0.contender] else { return }
      ($0.outcome, $0.reason) = (.failed, reason)
    }.filter { $0.generation == 0 && $0.round == 0 }
    let report = Reporting(
      try RunDirectory.create(name: "r", in: folder.path), environment: RecordedFolder.environment(),
      samples: samples, analysis: AnalysisOptions(reference: "floor"))
    #expect(
      report.failures == [
        "a, b are not ranked on publish-file-1: gone", "c is not ranked on publish-file-1: late",
      ])
  }
}

@Suite(.ownThread) struct RecordedRunCommandTests {
  private let known = ContenderList([Named("a"), Named("b")])
  private let folder = RecordedFolder()

  @Test func `report writes every format and leaves the run unchanged`() throws {
    let run = try folder.record("base")
    let before = try folder.contents()
    for format in ReportFormat.all(of: .report) where format.name != "csv" {
      #expect(Bench.run(["report", run, "--format", format.name], among: known) == .fine)
    }
    #expect(try folder.contents() == before)
  }

  @Test func `report names only files that exist`() throws {
    let (directory, environment, recorded) = try RecordedRun.whole(try folder.record("killed"))
    let reporting = try ReportCommand.report(directory, environment, recorded)
    func screen() throws -> String { try reporting.text(ReportFormat.all(of: .report)[0], nextSteps: []) }
    #expect(try screen().contains("Every table, charts\n"))
    try reporting.write()
    #expect(try screen().contains("all numbers:"))
  }

  /// Every number that the samples determine, in every row; other columns may differ.
  @Test func `a summary that contradicts its samples is named by its cell and its column`() throws {
    let samples = RecordedFolder.samples()
    let (directory, environment, recorded) = try RecordedRun.whole(try folder.record("edited", samples))
    let reporting = try ReportCommand.report(directory, environment, recorded)
    let rows = reporting.analysis.summaries
    func contradiction(_ change: (inout [CellSummary]) -> Void) throws -> String? {
      var changed = rows
      change(&changed)
      try directory.write(changed, as: RunDirectory.summaryName)
      return RecordedRun.contradiction(in: directory, reporting.analysis, of: samples)
    }
    #expect(try contradiction { _ in } == nil)
    #expect(
      try contradiction { $0[1].medianNanoseconds = rows[1].medianNanoseconds.map { $0 * 1.001 } } == nil)
    #expect(try contradiction { $0[1].sourceLines = 7 } == nil)
    let changes: [(column: String, change: (inout CellSummary) -> Void)] = [
      ("median_ns", { $0.medianNanoseconds = $0.medianNanoseconds.map { $0 / 2 } }),
      ("median_ns", { $0.medianNanoseconds = nil }), ("samples", { $0.samples += 1 }),
      ("dropped", { $0.dropped += 1 }), ("ratio", { $0.ratio = 0.5 }),
      ("reference", { $0.reference = "else" }), ("outcome", { $0.outcome = .wrong }),
      ("allocations_per_upload", { $0.allocationsPerUpload = 1 }),
    ]
    for row in rows.indices {
      for (column, change) in changes {
        let said = try contradiction { change(&$0[row]) }
        #expect(said?.contains("summary.csv:\(row + 2): \(rows[row].contender) in") == true, "\(column)")
        #expect(said?.contains(" \(column) ") == true, "\(said ?? "nothing of \(column)")")
      }
    }
    #expect(try contradiction { $0[0].contender = "else" }?.contains("else in") == true)
    let lost = try contradiction { $0.remove(at: 1) }
    #expect(lost?.contains("no row of \(rows[1].contender)") == true, "\(lost ?? "nothing")")
  }

  @Test func `the report of a load run is printed in its formats`() throws {
    let directory = try RunDirectory.create(name: "load", in: folder.path)
    try directory.beginLoad(RecordedFolder.environment()).close()
    func code(_ format: String) -> ExitCode {
      Bench.run(["report", directory.path, "--format", format], among: known)
    }
    #expect(code("table") == .cannotReadOrWrite)
    try directory.write("# Load\n", as: RunDirectory.markdownName)
    #expect(code("table") == .fine && code("markdown") == .fine)
    #expect(code("csv") == .cannotReadOrWrite && code("json") == .usage)
  }

  @Test func `a folder without a readable run gives an exit code`() throws {
    #expect(Bench.run(["report", folder.path], among: known) == .noBaseline)
    #expect(Bench.run(["report"], among: known) == .usage)
    let run = try folder.record("base")
    try folder.edit(run) { $0[3] = $0[3].replacing("measured", with: "measurd") }
    #expect(Bench.run(["report", run], among: known) == .cannotReadOrWrite)
  }

  @Test(
    arguments: Refusal.table(
      """
      check => check needs something to check against: --against BUILD, or --baseline DIR, or --counters [FILE].
      check --baseline x --against y => --against and --baseline select different checks: give one of them.
      check --inconclusive pas --against x => unknown inconclusive “pas”. Did you mean pass?
      check --format texts --against x => unknown format “texts”. Did you mean text?
      export => RUN is missing: give the folder of a recorded run, such as results/latest.
      export x => --format is missing: give benchstat, bmf, gab, hyperfine, jmh or pyperf.
      export x --format bmf --values 6 => --values is for --format pyperf.
      export x --format hyperfin => unknown format “hyperfin”. Did you mean hyperfine?
      compare => BASE is missing: give BASE and CANDIDATE, folders of recorded runs, such as results/latest.
      compare x => CANDIDATE is missing: give BASE and CANDIDATE, folders of recorded runs, such as results/latest.
      compare x y z => unexpected “z” after BASE and CANDIDATE.
      compare x y --format csv => unknown format “csv”. Known: text, markdown, json.
      """))
  func `bad arguments of commands are refused with a reason`(_ refusal: Refusal) {
    refusal.expect { words in
      let command = try #require(Subcommand(rawValue: words[0]))
      _ = try command.run(Array(words.dropFirst()), among: known)
    }
  }

  private func format(_ command: Subcommand, _ arguments: String...) throws -> String {
    try ReportFormat(Options(arguments, known: [ReportFormat.option(command)]), command).name
  }

  @Test(
    arguments: [
      (.run, ["table", "markdown", "csv", "json"] + ExportFormat.allCases.map(\.rawValue)),
      (.runtimes, ["table", "markdown", "csv", "json"] + ExportFormat.allCases.map(\.rawValue)),
      (.merge, ["table", "markdown", "csv", "json"] + ExportFormat.allCases.map(\.rawValue)),
      (.report, ["table", "markdown", "csv", "json"]), (.load, ["table", "markdown", "csv", "json"]),
      (.check, ["text", "markdown", "json", "github"]), (.compare, ["text", "markdown", "json"]),
      (.doctor, ["text", "markdown", "json"]), (.list, ["table", "json"]),
    ] as [(Subcommand, [String])])
  func `each command takes its formats, the first by default`(command: Subcommand, names: [String]) throws {
    #expect(ReportFormat.all(of: command).map(\.name) == names)
    #expect(try format(command) == names[0])
    for name in names { #expect(try format(command, "--format=\(name)") == name) }
  }

  @Test(arguments: ExportFormat.allCases)
  func `an export never overwrites a file`(format: ExportFormat) throws {
    let run = try folder.record("base")
    let arguments = ["export", run, "--format", format.rawValue, "--output", folder.path + "/out"]
    #expect(Bench.run(arguments, among: known) == .fine)
    let before = try folder.contents()
    #expect(before["out"]?.isEmpty == false)
    #expect(Bench.run(arguments, among: known) == .cannotReadOrWrite)
    #expect(try folder.contents() == before)
  }

  @Test func `an export does not depend on the folder of its run`() throws {
    for name in ["base", "now"] {
      let run = try folder.record(name)
      #expect(
        Bench.run(
          ["export", run, "--format", "gab", "--output", "\(folder.path)/\(name).json"], among: known)
          == .fine)
    }
    let files = try folder.contents()
    #expect(files["base.json"] != nil && files["base.json"] == files["now.json"])
  }

  @Test func `a run without counted samples is not exported`() throws {
    let dropped = try folder.record("dropped", RecordedFolder.samples { $0.dropped = .warmUp })
    for run in [dropped, try folder.record("empty", []), folder.path + "/none", folder.path] {
      let arguments = ["export", run, "--format", "pyperf", "--output", folder.path + "/out"]
      #expect(Bench.run(arguments, among: known) == .noBaseline, "\(run)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/out"))
  }

  @Test func `contenders and scenarios limit the export`() throws {
    let run = try folder.record("base")
    let out = folder.path + "/out"
    let arguments = ["--contenders", "[", "--format", "bmf", "--output", out]
    #expect(Bench.run(["export", run] + arguments, among: known) == .usage)
    #expect(
      Bench.run(
        ["export", run, "--contenders", "b", "--scenario", "*-100", "--format", "bmf", "--output", out],
        among: known) == .fine)
    let names = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: out)))
    #expect((names as? [String: Any])?.keys.sorted() == ["publish-instant-100/b/n=1"])
  }

  @Test func `compare reports a change with exit code 0 and writes nothing`() throws {
    let base = try folder.record("base")
    let now = try folder.record("now", RecordedFolder.samples(ratio: 4))
    let before = try folder.contents()
    #expect(Bench.run(["compare", base, now], among: known) == .fine)
    #expect(try folder.contents() == before)
  }

  @Test func `a run compared with itself passes in every format`() throws {
    let run = try folder.record("base")
    let copy = try folder.record("copy")
    for format in ["text", "markdown", "json"] {
      #expect(Bench.run(["compare", run, copy, "--format", format], among: known) == .fine)
      #expect(
        Bench.run(["check", "--baseline", run, "--candidate", run, "--format", format], among: known)
          == .fine)
    }
  }

  @Test func `runs that cannot be compared give the exit code of a missing baseline`() throws {
    let base = try folder.record("base")
    let other = try folder.record("other", environment: RecordedFolder.environment { $0.seed = 2 })
    let elsewhere = try folder.record("elsewhere", RecordedFolder.samples(scenarios: ["zip-instant-3"]))
    for arguments in [
      [base, other], [base, elsewhere], [base, folder.path + "/none"], [folder.path, base],
    ] { #expect(Bench.run(["compare"] + arguments, among: known) == .noBaseline, "\(arguments)") }
  }

  @Test func `contenders, scenarios, margin and reference limit the comparison`() throws {
    let run = try RecordedRun.read(try folder.record("base"))
    func terms(_ arguments: String...) throws -> RecordedComparison.Terms {
      try RecordedTerms.terms(Options(arguments, known: RecordedTerms.options), runs: [run])
    }
    #expect(try terms().contenders == nil)
    #expect(try terms().margin == RecordedTerms.usualMargin)
    #expect(try terms("--contenders", "a", "--margin", "5%").contenders == ["a"])
    #expect(try terms("--scenario", "*-100").scenarios == ["publish-instant-100"])
    #expect(try terms("--reference", "b").reference == "b")
    let error = #expect(throws: UsageError.self) { try terms("--contenders", "floo") }
    #expect(error?.description == "unknown contender “floo”. Did you mean floor?")
  }
}

@Suite(.ownThread) struct TraceCommandTests {
  private let known = ContenderList([Named("a"), Named("b"), Named("c", [.sequence])])

  private func options(_ arguments: String...) throws -> TraceOptions {
    try TraceOptions(arguments, known: known)
  }

  @Test func `ten uploads of every contender are traced by default`() throws {
    let options = try options()
    #expect(options.scenario.name == "publish-latency-10")
    #expect(options.contenders == ["a", "b"])
    #expect(options.run == "results/latest" && options.output == nil)
  }

  @Test func `options choose the scenario, the contenders and the output`() throws {
    let options = try options(
      "--contenders", "c,a", "--patterns", "sequence", "--fan-out", "4", "--seed", "9", "--output", "x")
    #expect(options.contenders == ["a", "c"])
    #expect(options.scenario.name == "sequence-instant-4" && options.scenario.seed == 9)
    #expect(options.output == "x")
  }

  @Test(
    arguments: Refusal.table(
      """
      --fan-out 1,10 => a trace records one post, and 2 scenarios are given: give one, such as --scenario publish-instant-1.
      --fan-out 10 --overlap 4 => publish-instant-10-overlap-4 has many posts at once, and a trace records one: give a scenario without --overlap.
      --fan-out 1001 => publish-instant-1001 has 1001 requests, and a trace has room for 1000: give a smaller --fan-out.
      --cancel-after 1ms => publish-latency-100-cancel-after-1ms is cancelled by its user, which a trace does not show: give a scenario without --cancel-after.
      --contenders c => none of c implements publish.
      --run x --output y => --run and --output exclude each other.
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect { _ = try TraceOptions($0, known: known) }
  }

  @Test func `a trace without a place to write is not recorded`() throws {
    let folder = RecordedFolder()
    let there = try folder.record("run") + "/samples.csv"
    // Fails before anything is recorded.
    for (place, code) in [
      (["--run", folder.path], ExitCode.noBaseline), (["--output", there], .cannotReadOrWrite),
    ] { #expect(Bench.run(["trace", "--allow-debug-build"] + place, among: known) == code) }
    #expect(Bench.run(["trace"], among: known) == (Environment.isReleaseBuild ? .noBaseline : .usage))
  }

  @Test func `a contender that fails is reported and the others are traced`() throws {
    let report = try TraceCommand.report(
      try options(), try options().scenario,
      launcher: fakeWorkers { contender, _ throws(WorkerFailure) in
        if contender == "a" { throw .silent(seconds: 9) }
        var reply = TraceReply(outcome: .measured, reason: nil)
        reply.post = PostTrace(
          requests: [], startReturned: 1, completed: PostTrace.Moment(thread: 0, nanoseconds: 2),
          asksAtOnce: true)
        return reply
      })
    #expect(report.posts.map(\.contender) == ["b"])
    #expect(!report.document([]).text().contains("has no end"))
    #expect(report.faults.map(\.contender) == ["a"])
    #expect(report.faults[0].reason == "the worker process gave no answer within 9 s and was killed")
  }
}

@Suite(.ownThread) struct AwakeTests {
  @Test func `a latency request that the system refuses ends the command`() {
    let error = #expect(throws: UsageError.self) { try Awake.request(true, path: "/absent/latency") }
    #expect(
      error?.description.hasPrefix("--awake is not possible here: keeping processors awake needs ") == true)
    #expect(error?.description.contains("\n") == false)
  }

  #if os(Linux)
    @Test func `hand-overs with and without the request are interleaved`() throws {
      let scratch = Scratch()
      let path = try scratch.write("", to: "latency")
      var (record, turn) = (MachineRecord(), 0)
      HandOverComparison.record(into: &record, turns: 3, path: path) {
        turn += 1
        return [Double](repeating: turn % 2 == 1 ? 40_000 : 10_000, count: 9) + [90_000]
      }
      #expect(turn == 6)
      #expect(record.handOver?.medianNanoseconds == 40_000)
      #expect(record.awakeHandOver?.medianNanoseconds == 10_000)
      #expect(record.awakeNeeds == nil)
    }
  #endif

  @Test func `without the permission the plain hand-over is still recorded`() {
    var record = MachineRecord()
    HandOverComparison.record(into: &record, turns: 2, path: "/absent/latency") { [40_000] }
    #expect(record.handOver == HandOverRecord(medianNanoseconds: 40_000, p90Nanoseconds: 40_000))
    #expect(record.awakeHandOver == nil)
    #expect(record.awakeNeeds?.hasPrefix("keeping processors awake needs ") == true)
  }
}

@Suite(.ownThread) struct RunConditionsTests {
  /// One of two processors, half of which a control group allows.
  private let small = [
    "/proc/self/status": "Cpus_allowed_list:\t0\n", "/sys/devices/system/cpu/online": "0-1\n",
    "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "50000 100000\n",
    "/sys/fs/cgroup/cpu.stat": "throttled_usec 0\n",
    "/proc/stat": "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\n",
  ]

  @Test func `processor limits are warned of once`() {
    var environment = EnvironmentRecord()
    environment.warnings = ["something else"]
    let conditions = RunConditions(MachineFiles { [small] in small[$0] })
    conditions.record(into: &environment)
    #expect(environment.processorsAllowed == 1)
    #expect(environment.processorQuota == 0.5)
    #expect(environment.warnings.count == 3)
    #expect(environment.warnings[0] == "something else")
    #expect(environment.warnings[1].hasPrefix("processors: 1 of 2 may be used; "))
    #expect(environment.warnings[2].hasPrefix("processor quota: 0.50 processors' time; "))
    conditions.end(into: &environment)
    #expect(environment.warnings.count == 3)
    #expect(environment.throttledShare == 0)
  }
}
