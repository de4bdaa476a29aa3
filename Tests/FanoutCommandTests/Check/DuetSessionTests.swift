import Foundation
import Results
import Statistics
import TestSupport
import Testing
import UploadScenario
import Verdicts

@testable import FanoutCommand
@testable import Harness

@Suite(.ownThread) struct DuetSessionTests {
  private static let scenario = "publish-instant-100"
  private let scratch = Scratch()

  private static func options(_ arguments: String..., of known: ContenderList = ContenderList([Named("a")]))
    throws -> AgainstOptions<Scenario>
  {
    try AgainstOptions(
      Options(["--against", "old"] + arguments, known: CheckCommand.ofUploads.options),
      CheckSubjects(uploads: known))
  }

  private static func old(_ links: [URL]) -> OtherBuild {
    OtherBuild(name: "old", executables: links, contenders: ["a"], scenarios: [scenario])
  }

  /// The report of a check of `a`, given the times of its posts; a control's name says which one it is.
  private func report(
    record: CSVWriter<DuetRound>? = nil,
    nanoseconds: @escaping (DuetSide, _ participant: String) throws(WorkerFailure) -> Double
  ) throws -> CheckReport {
    let options = try Self.options()
    let base = Self.old([URL(fileURLWithPath: "/old")])
    var samples = 0
    let session = DuetSession(
      options, base: base, cells: [CellKey(contender: "a", scenario: Self.scenario)], remarks: [],
      record: record
    ) { side in
      fakeWorkers { participant, request throws(WorkerFailure) in
        samples += 1
        // Samples of a machine are never equal.
        let noise = 1 + 0.001 * Double(samples % 7)
        return .measured(request, nanoseconds: UInt64(1e6 * noise * (try nanoseconds(side, participant))))
      }
    }
    try session.run()
    try record?.close()
    return session.report()
  }

  private static func isSlowed(_ side: DuetSide, _ participant: String) -> Bool {
    side == .candidate && participant.contains("positive control")
  }

  @Test func `equal builds pass if the controls are found`() throws {
    let report = try report { Self.isSlowed($0, $1) ? 1.1 : 1 }
    #expect(report.verdict == .passed)
    #expect(report.rows.map(\.state) == [.unchanged])
    #expect(report.proofs.map(\.isProven) == [true, true])
  }

  @Test func `a regression is measured again and recorded`() throws {
    let record = try CSVWriter<DuetRound>(creating: scratch.path("rounds.csv"))
    let report = try report(record: record) { side, participant in
      Self.isSlowed(side, participant) || side == .candidate && participant == "a" ? 1.1 : 1
    }
    #expect(report.verdict == .regressed)
    let text = try String(contentsOfFile: scratch.path("rounds.csv"), encoding: .utf8)
    let rounds = text.split(separator: "\n").dropFirst().map { $0.split(separator: ",").prefix(4) }
    #expect(
      Set(rounds.map { $0.joined(separator: ",") }) == [
        "a,\(Self.scenario),subject,first", "a,\(Self.scenario),subject,confirmation",
        "a,\(Self.scenario),twin,first", "a,\(Self.scenario),slowed_twin,first",
      ])
  }

  /// Each scenario has a control of each kind, but at most a quarter of the cells have one.
  @Test(arguments: [(1, 8, 1), (3, 8, 3), (1, 1, 1), (5, 1, 2), (5, 2, 3)])
  func `at most a quarter of the cells have controls`(scenarios: Int, contenders: Int, controlled: Int) throws
  {
    let names = [1, 10, 100, 1_000, 10_000].prefix(scenarios).map { "publish-instant-\($0)" }
    let known = ContenderList((1...contenders).map { Named("a\($0)") })
    let subjects = CheckSubjects(uploads: known)
    let options = try Self.options("--scenario", names.joined(separator: ","), of: known)
    let base = Self.old([URL(fileURLWithPath: "/old")])
    let session = DuetSession(
      options, base: base, cells: subjects.cells(of: known.all.map(\.name), in: options.scenarios),
      remarks: [])
    #expect(session.report().proofs.count == 2 * controlled)
  }

  @Test func `the seed alone decides which link a process runs`() throws {
    let links = (0..<4).map { URL(fileURLWithPath: "/\($0)") }
    func drawn(seed: Int) throws -> [URL] {
      let session = DuetSession(
        try Self.options("--seed", "\(seed)"), base: Self.old(links), candidates: links,
        cells: [CellKey(contender: "a", scenario: Self.scenario)], remarks: [])
      return (0..<32).map { session.drawExecutable(of: $0 % 2 == 0 ? .base : .candidate) }
    }
    #expect(try Set(drawn(seed: 1)) == Set(links))
    #expect(try drawn(seed: 1) == drawn(seed: 1))
    #expect(try drawn(seed: 1) != drawn(seed: 2))
  }

  @Test func `a control with the wrong verdict makes the check inconclusive`() throws {
    let regressed = try report { side, participant in
      Self.isSlowed(side, participant) || side == .candidate && participant.contains("A/A") ? 1.1 : 1
    }
    let missed = try report { _, _ in 1 }
    #expect([regressed, missed].map(\.verdict) == [.inconclusive, .inconclusive])
    #expect(
      regressed.doubts == [
        "the A/A control (a, the same build on both sides) must be unchanged, but is regressed."
      ])
    #expect(
      missed.doubts == ["the positive control (a, made slower by 3.0 %) must be regressed, but is unchanged."]
    )
  }

  @Test func `a worker that dies fails the check and names its build`() throws {
    let report = try report { side, participant throws(WorkerFailure) in
      if side == .base, participant == "a" { throw .died(how: "signal 11") }
      return Self.isSlowed(side, participant) ? 1.1 : 1
    }
    #expect(report.verdict == .failed)
    #expect(report.rows.map(\.reason) == ["of old: the worker process died: signal 11"])
  }
}

@Suite(.ownThread) struct DuetLauncherTests {
  private static func options(
    _ side: DuetSide, _ role: DuetRound.Role, _ injected: InjectedSlowDown?
  ) -> [String] {
    DuetLauncher<Scenario>(
      side: side, executable: { _ in URL(filePath: "/") }, measure: .cost, slowDown: 0.03, injected: injected,
      placement: .anywhere, budgetNanoseconds: 1
    ).options(for: DuetParticipant(contender: "a", role: role))
  }

  @Test(
    arguments: DuetRound.Role.allCases,
    [
      nil, InjectedSlowDown(share: 0.01, contenders: nil, scenarios: nil),
      InjectedSlowDown(share: 0.01, contenders: ["b"], scenarios: nil),
      InjectedSlowDown(share: 0.01, contenders: ["a"], scenarios: ["publish-instant-1"]),
    ])
  func `both builds get the same options except the slow-down`(
    role: DuetRound.Role, injected: InjectedSlowDown?
  ) throws {
    let (base, candidate) = (Self.options(.base, role, injected), Self.options(.candidate, role, injected))
    let place = try #require(base.firstIndex(of: "--slow-down-cost")) + 1
    #expect(base[place] == "0.0")
    let isInjected = injected?.contenders?.contains("a") ?? (injected != nil)
    let share =
      switch role {
      case .subject: isInjected ? "0.01" : "0.0"
      case .control: "0.0"
      case .positiveControl: "0.03"
      }
    #expect(candidate[place] == share)
    var same = candidate
    same[place] = base[place]
    #expect(same == base)
  }
}

@Suite(.ownThread) struct DoctorSessionTests {
  /// Its clock advances by 1 µs with each sample, and the worker of `a` dies.
  private func session(_ subjects: CheckSubjects<Scenario>) throws -> DoctorSession<Scenario> {
    let now = Counter()
    return DoctorSession(
      options: try DoctorOptions([], subjects), clock: HarnessClock { UInt64(now.current) },
      launcher: fakeWorkers { contender, request throws(WorkerFailure) in
        if contender == "a" { throw .died(how: "signal 11") }
        now.add(1_000)
        return .measured(request, nanoseconds: 100_000)
      })
  }

  /// A pair has three warm-up samples and twelve measured ones of each side.
  private static let pairNanoseconds = 30_000

  private func outlook(of names: [String], pairs: Int) throws -> (CheckOutlook, failures: [String]) {
    let session = try session(CheckSubjects(uploads: ContenderList(names.map { Named($0) })))
    return try session.outlook(of: .wall, nanoseconds: UInt64(pairs * Self.pairNanoseconds))
  }

  /// Two contenders in two scenarios: eight pairs or more each, if they fit into twice the time.
  @Test(arguments: [(40, 20...22), (12, 8...10), (6, 6...6)])
  func `pairs are taken for the time that there is, and for as much again where they are too few`(
    pairs: Int, taken: ClosedRange<Int>
  ) throws {
    let (outlook, failures) = try outlook(of: ["b", "c"], pairs: pairs)
    #expect(outlook.spreads.map(\.contender) == ["b", "c"])
    #expect(outlook.spreads.map(\.logRatios.count).allSatisfy(taken.contains))
    #expect(outlook.spreads.map(\.pairNanoseconds) == [30_000, 30_000])
    #expect(failures.isEmpty)
  }

  @Test func `a contender that fails is named and the other goes on`() throws {
    let (outlook, failures) = try outlook(of: ["a", "b"], pairs: 16)
    #expect(failures.contains("a in publish-instant-100: the worker process died: signal 11"))
    #expect(outlook.spreads[1].logRatios.count >= 8)
  }

  @Test(arguments: [DuetMeasure.cost, .wall])
  func `the outlook is that of a check with default options`(measure: DuetMeasure) throws {
    let known = ContenderList([Named("b"), Named("c"), Named("d", [.zip])])
    let subjects = CheckSubjects(uploads: known)
    let (outlook, _) = try session(subjects).outlook(of: measure, nanoseconds: 1)
    let check = try AgainstOptions(
      Options(["--against", "x", "--measure", measure.rawValue], known: CheckCommand.ofUploads.options),
      subjects)
    #expect(outlook.cells == 4)
    #expect(outlook.margin == check.margin)
    #expect(outlook.budgetSeconds == Double(check.budgetNanoseconds) / 1e9)
  }
}

@Suite(.ownThread) struct CheckOutputTests {
  private let report = CheckReport(against: "HEAD~1", measure: "processor time", [])

  private func output(_ arguments: [String]) throws -> CheckOutput {
    try CheckOutput(Options(arguments, known: CheckOutput.options))
  }

  @Test func `the report file is Markdown in every output format`() throws {
    let folder = Scratch()
    let path = folder.path("report.md")
    let output = try output(["--format", "github", "--report", path])
    try output.refuseUnwritableReport()
    try output.keep(report)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == report.document.markdown)
    #expect(try output.text(report) == report.annotations)
  }

  @Test func `a report that exists or cannot be written is refused before measuring`() throws {
    let folder = Scratch()
    func expect(_ refusal: ResultsError, of path: String) {
      #expect(throws: refusal) {
        try CheckCommand.ofUploads.run(
          ["--against", "x", "--report", path], among: ContenderList([Named("a")]))
      }
    }
    let (path, missing) = (folder.path("report.md"), folder.path("missing/report.md"))
    try TextFile.create(path, "kept")
    expect(.exists(path: path, option: "--report"), of: path)
    expect(.cannotWrite(path: missing, reason: "No such file or directory", option: "--report"), of: missing)
    #expect(throws: ResultsError.exists(path: path, option: "--report")) {
      try output(["--report", path]).keep(report)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "kept")
  }
}
