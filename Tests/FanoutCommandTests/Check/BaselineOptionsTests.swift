import Foundation
import Results
import TestSupport
import Testing
import Verdicts

@testable import FanoutCommand

@Suite(.ownThread) struct BaselineOptionsTests {
  private let known = ContenderList([Named("floor"), Named("a"), Named("b")])
  private let folder = RecordedFolder()

  private func check(_ arguments: String...) -> ExitCode {
    Bench.run(["check", "--format", "json"] + arguments, among: known)
  }

  @Test func `one allocation more than the baseline is a regression`() throws {
    let base = try folder.record("base")
    func candidate(_ name: String, _ allocations: Int) throws -> String {
      try folder.record(
        name,
        RecordedFolder.samples {
          if $0.contender == "b" { $0.allocations = $0.allocations.map { _ in allocations } }
        })
    }
    let same = try candidate("same", 120)
    let more = try candidate("more", 130)
    let less = try candidate("less", 110)
    #expect(check("--baseline", base, "--candidate", same) == .fine)
    #expect(check("--baseline", base, "--candidate", more) == .regression)
    #expect(check("--baseline", base, "--candidate", less) == .fine)
    #expect(check("--baseline", base, "--candidate", less, "--fail-on-improvement") == .regression)
  }

  /// Two generations are too few for times.
  @Test func `a baseline with too few generations is refused before measuring`() throws {
    let few = RecordedFolder.samples().filter { $0.generation < 2 }
    let counted = try BaselineOptions(["--baseline", try folder.record("counted", few)])
    try BaselineCheck.refuseWhatCannotDecide(counted)
    let base = try folder.record(
      "base", RecordedFolder.samples { $0.allocations = nil }.filter { $0.generation < 2 })
    let error = #expect(throws: Undecidable.self) {
      try BaselineCheck.refuseWhatCannotDecide(try BaselineOptions(["--baseline", base]))
    }
    #expect(error?.description.contains("2 generations") == true, "\(String(describing: error))")
    #expect(check("--baseline", base) == .inconclusive)
    #expect(check("--baseline", base, "--inconclusive", "pass") == .inconclusive)
  }

  @Test func `a large change of time is a regression`() throws {
    let base = try folder.record("base")
    let slower = try folder.record(
      "now",
      RecordedFolder.samples {
        if $0.contender == "b" { $0.wallNanoseconds = $0.wallNanoseconds.map { $0 * 2 } }
      })
    #expect(check("--baseline", base, "--candidate", slower) == .regression)
    #expect(check("--baseline", base, "--candidate", slower, "--contenders", "a") == .fine)
    #expect(check("--baseline", base, "--candidate", base) == .fine)
  }

  @Test func `a contender missing from the candidate is inconclusive`() throws {
    let base = try folder.record("base")
    let less = try folder.record("less", RecordedFolder.samples(contenders: ["floor", "a"]))
    #expect(check("--baseline", base, "--candidate", less) == .inconclusive)
    #expect(check("--baseline", base, "--candidate", less, "--inconclusive", "pass") == .fine)
    #expect(check("--baseline", base, "--candidate", less, "--contenders", "a") == .fine)
    #expect(check("--baseline", less, "--candidate", base) == .fine)
  }

  @Test func `a dirty baseline is refused unless allowed, a debug baseline always`() throws {
    let dirty = try folder.record("dirty", environment: RecordedFolder.environment { $0.isDirty = true })
    let sound = try folder.record("sound")
    #expect(check("--baseline", dirty, "--candidate", sound) == .noBaseline)
    #expect(check("--baseline", dirty, "--candidate", sound, "--allow-dirty") == .fine)
    #expect(check("--baseline", sound, "--candidate", dirty) == .fine)
    #expect(Bench.run(["compare", dirty, sound], among: known) == .fine)
    let error = #expect(throws: BaselineProblem.self) { try BaselineOptions(["--baseline", dirty]) }
    #expect(error?.description.contains("its commit 0123456789ab lacks") == true)
    let debug = try folder.record(
      "debug", environment: RecordedFolder.environment { $0.buildConfiguration = "debug" })
    #expect(check("--baseline", debug, "--candidate", debug, "--allow-dirty") == .noBaseline)
    #expect(Bench.run(["compare", debug, debug], among: known) == .fine)
  }

  @Test func `options that contradict a baseline check are refused`() throws {
    let base = try folder.record("base")
    #expect(check("--baseline", base, "--candidate", base, "--output", folder.path) == .usage)
    // Tests are a debug build, which cannot be measured.
    #expect(check("--baseline", base) == .usage)
    #expect(check("--baseline", base, "--measure", "wall") == .usage)
  }

  private func command(_ words: [String]) throws -> [String] {
    let run = RecordedRun(
      name: "base", environment: RecordedFolder.environment { $0.commandLine = ["bench"] + words },
      samples: RecordedFolder.samples())
    return try BaselineCommand(of: run, known: ["floor", "b", "new"]).arguments
  }

  @Test(
    arguments: [
      ([], []), (["run", "--quick"], ["--quick"]),
      (["--budget", "5s", "--seed=7"], ["--budget", "5s", "--seed", "7"]),
      (["run", "--contenders", "a,b", "--fan-out", "3"], ["--fan-out", "3"]),
      // Options of another version, and options that write files, are left out.
      (
        ["run", "--scenario", "publish-instant-1,gone,gone-*,zip-*"],
        ["--scenario", "publish-instant-1,zip-*"]
      ),
      (
        [
          "run", "--name", "x", "--output", "/", "--store", "/", "--quiet", "--format=csv",
          "--allow-debug-build", "--fsync",
        ], ["--fsync"]
      ),
    ] as [([String], [String])])
  func `a check repeats the command of its baseline`(words: [String], repeated: [String]) throws {
    #expect(try command(words) == ["run", "--contenders", "floor,b"] + repeated)
  }

  @Test func `a baseline of another command needs a candidate`() {
    let error = #expect(throws: BaselineProblem.self) { try command(["runtimes", "--budget", "5s"]) }
    #expect(
      error?.description.hasPrefix("base was not recorded by") == true
        && error?.description.hasSuffix("give --candidate.") == true)
  }

  @Test func `a baseline without a contender of this build is refused`() {
    let run = RecordedRun(
      name: "base", environment: RecordedFolder.environment(), samples: RecordedFolder.samples())
    let error = #expect(throws: BaselineProblem.self) { try BaselineCommand(of: run, known: ["new"]) }
    #expect(
      error?.description
        == "base measured floor, a, b, and this build has none of them. Record the baseline again.")
  }
}

extension BaselineOptions {
  fileprivate init(_ arguments: [String]) throws {
    try self.init(Options(arguments, known: BaselineOptions.options))
  }
}

@Suite(.ownThread) struct RecordedRunReadingTests {
  private let folder = RecordedFolder()

  private func complaint(about path: String) -> (text: String, code: ExitCode)? {
    do {
      _ = try RecordedRun.read(path)
      return nil
    } catch let error as BaselineProblem { return (error.description, .noBaseline) } catch let error
      as ResultsError
    { return (error.description, .cannotReadOrWrite) } catch { return ("\(error)", .usage) }
  }

  typealias Damage = @Sendable (RecordedFolder, String) throws -> Void

  private static func remove(_ name: String) -> Damage {
    { _, run in try FileManager.default.removeItem(atPath: run + name) }
  }

  private static func lines(_ change: @escaping @Sendable (inout [String]) -> Void) -> Damage {
    { folder, run in try folder.edit(run, change) }
  }

  private static func put(_ text: String, _ name: String) -> Damage {
    lines { lines in
      var fields = lines[2].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      fields[Sample.columns.firstIndex { $0.name == name }!] = text
      lines[2] = fields.joined(separator: ",")
    }
  }

  private static func environment(_ content: String) -> Damage {
    { _, run in try Data(content.utf8).write(to: URL(fileURLWithPath: run + "/environment.json")) }
  }

  private static let missing: [(String, ExitCode, Damage)] = [
    ("RUN does not exist. Give a folder that", .noBaseline, remove("")),
    ("RUN holds no recorded run (no samples.csv there).", .noBaseline, remove("/samples.csv")),
    (
      "RUN is a file. Give the folder that contains samples.csv.", .noBaseline,
      {
        try remove("")($0, $1)
        try Data().write(to: URL(fileURLWithPath: $1))
      }
    ), ("RUN/samples.csv is empty. Record the run again.", .noBaseline, lines { $0 = [] }),
    (
      "RUN/samples.csv holds no sample: its run ended before the first one.", .noBaseline,
      lines { $0 = [$0[0], ""] }
    ),
    (
      "cannot read RUN/environment.json: No such file or directory.", .cannotReadOrWrite,
      remove("/environment.json")
    ),
  ]

  private static let tooMuch = "9223372036854775807"
  private static let impossible: [(String, Damage)] = [
    ("1: column wall_ns is missing from the header", lines { $0[0] = $0[0].replacing(",wall_ns", with: "") }),
    (
      "3: column wall_ns holds 864000000000001 ns, which is more than ten days",
      put("864000000000001", "wall_ns")
    ),
    (
      "3: column cpu_user_ns holds \(tooMuch) ns, which is more than ten days", put(tooMuch, "cpu_user_ns")
    ),
    (
      "3: column allocations holds \(tooMuch), which is more than the largest count, 2^53",
      put(tooMuch, "allocations")
    ),
    (
      "6: column round repeats line 3: the same generation, round, position, contender and scenario",
      lines { $0.insert($0[2], at: 5) }
    ),
  ]

  private static let environments: [(String, Damage)] = [
    ("is no JSON: Unexpected end of file during JSON parse.", environment("{\"run\": 1")),
    ("is no JSON: ", environment("{")), ("is no JSON: ", environment("")), ("", environment("{}")),
    ("run holds a value of the wrong type.", environment("{\"run\": 1}")),
    ("seed is -1, but must not be negative.", environment("{\"seed\": -1}")),
    (
      "parts.core_count is -1, but must not be negative.",
      environment("{\"parts\": [{\"core_count\": -1}]}")
    ), ("is no JSON: ", environment("\u{FFFD}\u{0}")),
  ]

  @Test(
    arguments: missing + impossible.map { ("RUN/samples.csv:" + $0, .cannotReadOrWrite, $1) }
      + environments.map { ("RUN/environment.json: " + $0, .cannotReadOrWrite, $1) })
  func `a missing, incomplete or damaged run is refused with its place`(
    text: String, code: ExitCode, damage: Damage
  ) throws {
    let run = try folder.record("base")
    try damage(folder, run)
    let before = try folder.contents()
    let found = complaint(about: run)
    #expect(found?.text.replacing(run, with: "RUN").hasPrefix(text) == true, "\(found?.text ?? "nothing")")
    #expect(found?.code == code)
    #expect(try folder.contents() == before)
  }

  @Test func `a FIFO in place of samples is refused`() throws {
    let run = try folder.record("base")
    try FileManager.default.removeItem(atPath: "\(run)/samples.csv")
    #expect(mkfifo("\(run)/samples.csv", 0o600) == 0)
    let found = complaint(about: run)
    #expect(found?.text.contains("samples.csv: it is no regular file") == true, "\(found?.text ?? "nothing")")
    #expect(found?.code == .cannotReadOrWrite)
  }

  @Test func `a truncated last line is left out`() throws {
    let path = try folder.record("base")
    var count = 0
    try folder.edit(path) { lines in
      lines.removeLast()
      count = lines.count
      lines[count - 1] = String(lines[count - 1].prefix(40))
    }
    let run = try RecordedRun.read(path)
    #expect(run.truncatedLine == count)
  }

  /// Whole lines are missing, which the file alone does not show.
  @Test(arguments: [(0, 0), (1, 1), (20, 20)])
  func `samples that the summary counts and the file lacks are counted`(cut: Int, lost: Int) throws {
    let samples = RecordedFolder.samples()
    let path = try folder.record("base", samples)
    let analysis = RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: "floor"))
    try RunDirectory.open(path).write(analysis.summaries, as: RunDirectory.summaryName)
    try folder.edit(path) { $0.removeSubrange($0.count - 1 - cut..<$0.count - 1) }
    let run = try RecordedRun.read(path)
    #expect(run.lostSamples == lost)
    #expect(run.truncatedLine == nil)
  }

  @Test func `a second sample of a round is read`() throws {
    let run = try folder.record("base")
    try folder.edit(run) { lines in
      var fields = lines[2].split(separator: ",", omittingEmptySubsequences: false)
      fields[3] = "9"
      lines.insert(fields.joined(separator: ","), at: 5)
    }
    #expect(try RecordedRun.whole(run).2.samples.count == RecordedFolder.samples().count + 1)
  }
}
