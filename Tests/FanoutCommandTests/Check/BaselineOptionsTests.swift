import Foundation
import Results
import TestSupport
import Testing
import Verdicts

@testable import FanoutCommand

@Suite(.ownThread) struct BaselineOptionsTests {
  private let known = ContenderList([Named("floor"), Named("a"), Named("b")])

  private func check(_ arguments: String...) -> ExitCode {
    Bench.run(["check", "--format", "json"] + arguments, among: known)
  }

  @Test func `one allocation more than the baseline is a regression`() throws {
    let folder = try RecordedFolder()
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

  /// Two generations are too few for times; nothing is measured for that.
  @Test func `a baseline with too few generations is refused before measuring`() throws {
    let folder = try RecordedFolder()
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
    let folder = try RecordedFolder()
    let base = try folder.record("base")
    // One cell of many; all at once would be the reference's doing.
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
    let folder = try RecordedFolder()
    let base = try folder.record("base")
    let less = try folder.record("less", RecordedFolder.samples(contenders: ["floor", "a"]))
    #expect(check("--baseline", base, "--candidate", less) == .inconclusive)
    #expect(check("--baseline", base, "--candidate", less, "--inconclusive", "pass") == .fine)
    #expect(check("--baseline", base, "--candidate", less, "--contenders", "a") == .fine)
    #expect(check("--baseline", less, "--candidate", base) == .fine)
  }

  @Test func `a dirty baseline is refused unless allowed, a debug baseline always`() throws {
    let folder = try RecordedFolder()
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

  @Test func `another machine makes the check inconclusive`() throws {
    let folder = try RecordedFolder()
    let base = try folder.record("base", environment: RecordedFolder.environment { $0.cpuModel = "One" })
    let now = try folder.record("now", environment: RecordedFolder.environment { $0.cpuModel = "Two" })
    #expect(check("--baseline", base, "--candidate", now) == .inconclusive)
  }

  @Test func `options that contradict a baseline check are refused`() throws {
    let folder = try RecordedFolder()
    let base = try folder.record("base")
    #expect(check("--baseline", base, "--candidate", base, "--output", folder.path) == .usage)
    // Tests are a debug build, which measures nothing.
    #expect(check("--baseline", base) == .usage)
    #expect(check("--baseline", base, "--measure", "wall") == .usage)
  }
}

extension BaselineOptions {
  fileprivate init(_ arguments: [String]) throws {
    try self.init(Options(arguments, known: BaselineOptions.options))
  }
}

@Suite(.ownThread) struct CheckCommandTests {
  private let known = ContenderList([Named("a"), Named("b")])

  @Test(
    arguments: Refusal.table(
      """
       => check needs something to check against: --against BUILD, or --baseline DIR, or --counters [FILE].
      --baseline x --against y => --against and --baseline are two checks: ask for one.
      --inconclusive pas --against x => unknown inconclusive “pas”. Did you mean pass?
      --format texts --against x => unknown format “texts”. Did you mean text?
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect { _ = try CheckCommand.ofUploads.run($0, among: known) }
  }
}

@Suite(.ownThread) struct BaselineCommandTests {
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
      // The samples name the contenders.
      (["run", "--contenders", "a,b", "--fan-out", "3"], ["--fan-out", "3"]),
      // What another version knew is left out, and what writes somewhere else.
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
    #expect(error?.description == "base measured floor, a, b, none of which this build knows.")
  }
}
