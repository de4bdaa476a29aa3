import Verdicts
import Foundation
import Results
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct CompareCommandTests {
  private let known = ContenderList([Named("a"), Named("b")])

  @Test(
    arguments: Refusal.table(
      """
       => BASE is missing: give BASE and CANDIDATE, folders of recorded runs, such as results/latest.
      x => CANDIDATE is missing: give BASE and CANDIDATE, folders of recorded runs, such as results/latest.
      x y z => unexpected “z” after BASE and CANDIDATE.
      x y --format csv => unknown format “csv”. Known: text, markdown, json.
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect { _ = try CompareCommand.run($0, among: known) }
  }

  @Test func `compare reports a change with exit code 0 and writes nothing`() throws {
    let folder = try RecordedFolder()
    let base = try folder.record("base")
    let now = try folder.record("now", RecordedFolder.samples(ratio: 4))
    let before = try folder.contents()
    #expect(Bench.run(["compare", base, now], among: known) == .fine)
    #expect(try folder.contents() == before)
  }

  @Test func `a run compared with itself passes in every format`() throws {
    let folder = try RecordedFolder()
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
    let folder = try RecordedFolder()
    let base = try folder.record("base")
    let other = try folder.record("other", environment: RecordedFolder.environment { $0.seed = 2 })
    let elsewhere = try folder.record("elsewhere", RecordedFolder.samples(scenarios: ["zip-instant-3"]))
    for arguments in [
      [base, other], [base, elsewhere], [base, folder.path + "/none"], [folder.path, base],
    ] {
      #expect(Bench.run(["compare"] + arguments, among: known) == .noBaseline, "\(arguments)")
    }
  }

  @Test func `contenders, scenarios, margin and reference limit the comparison`() throws {
    let folder = try RecordedFolder()
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
