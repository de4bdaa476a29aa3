import Verdicts
import Exports
import Foundation
import Results
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct ExportCommandTests {
  private let known = ContenderList([Named("a"), Named("b")])

  @Test(
    arguments: Refusal.table(
      """
       => RUN is missing: give the folder of a recorded run, such as results/latest.
      x => --format is missing: give benchstat, bmf, gab, hyperfine, jmh or pyperf.
      x --format bmf --values 6 => --values is for --format pyperf.
      x --format hyperfin => unknown format “hyperfin”. Did you mean hyperfine?
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect { _ = try ExportCommand.run($0, among: known) }
  }

  @Test(arguments: ExportFormat.allCases)
  func `an export never overwrites a file`(format: ExportFormat) throws {
    let folder = try RecordedFolder()
    let run = try folder.record("base")
    let arguments = ["export", run, "--format", format.rawValue, "--output", folder.path + "/out"]
    #expect(Bench.run(arguments, among: known) == .fine)
    let before = try folder.contents()
    #expect(before["out"]?.isEmpty == false)
    #expect(Bench.run(arguments, among: known) == .cannotReadOrWrite)
    #expect(try folder.contents() == before)
  }

  @Test func `an export does not depend on the folder of its run`() throws {
    let folder = try RecordedFolder()
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
    let folder = try RecordedFolder()
    let dropped = try folder.record("dropped", RecordedFolder.samples { $0.dropped = .warmUp })
    for run in [dropped, try folder.record("empty", []), folder.path + "/none", folder.path] {
      let arguments = ["export", run, "--format", "pyperf", "--output", folder.path + "/out"]
      #expect(Bench.run(arguments, among: known) == .noBaseline, "\(run)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/out"))
  }

  @Test func `a damaged run is not exported`() throws {
    let folder = try RecordedFolder()
    let run = try folder.record("base")
    try folder.edit(run) { $0[3] = $0[3].replacing("measured", with: "measurd") }
    #expect(Bench.run(["export", run, "--format", "bmf"], among: known) == .cannotReadOrWrite)
  }

  @Test func `contenders and scenarios limit the export`() throws {
    let folder = try RecordedFolder()
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
}
