import Verdicts
import Foundation
import Results
import TestSupport
import Testing

@testable import FanoutCommand

/// What is wrong with a recorded run is said with its place, and nothing is written.
@Suite(.ownThread) struct RecordedRunReadingTests {
  private func complaint(about path: String) -> (text: String, code: ExitCode)? {
    do {
      _ = try RecordedRun.read(path)
      return nil
    } catch let error as BaselineProblem {
      return (error.description, .noBaseline)
    } catch let error as ResultsError {
      return (error.description, .cannotReadOrWrite)
    } catch { return ("\(error)", .usage) }
  }

  /// Damages a recorded run, reads it, and expects a complaint that begins with the run's path.
  private func expect(
    _ text: String, _ code: ExitCode, sourceLocation: SourceLocation = #_sourceLocation,
    after damage: (RecordedFolder, String) throws -> Void
  ) throws {
    let folder = try RecordedFolder()
    let run = try folder.record("base")
    try damage(folder, run)
    let before = try folder.contents()
    let found = complaint(about: run)
    #expect(
      found?.text.replacing(run, with: "RUN").hasPrefix(text) == true, "\(found?.text ?? "nothing")",
      sourceLocation: sourceLocation)
    #expect(found?.code == code, sourceLocation: sourceLocation)
    #expect(try folder.contents() == before, sourceLocation: sourceLocation)
  }

  private func column(_ name: String) -> Int { Sample.columns.firstIndex { $0.name == name }! }

  /// Puts a text into a column of line 3.
  private func put(_ text: String, into name: String) -> (RecordedFolder, String) throws -> Void {
    { folder, run in
      try folder.edit(run) { lines in
        var fields = lines[2].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        fields[self.column(name)] = text
        lines[2] = fields.joined(separator: ",")
      }
    }
  }

  @Test func `a whole run is read`() throws {
    let folder = try RecordedFolder()
    let run = try RecordedRun.read(try folder.record("base"))
    #expect(run.contenders == ["floor", "a", "b"])
    #expect(run.scenarios == ["publish-instant-1", "publish-instant-100"])
    #expect(run.truncatedLine == nil)
  }

  typealias Damage = @Sendable (RecordedFolder, String) throws -> Void

  private static let damages: [(String, ExitCode, Damage)] = [
    (
      "there is nothing at RUN. Give a folder that", .noBaseline,
      { _, run in try FileManager.default.removeItem(atPath: run) }
    ),
    (
      "RUN holds no recorded run (no samples.csv there).", .noBaseline,
      { _, run in try FileManager.default.removeItem(atPath: run + "/samples.csv") }
    ),
    (
      "RUN is a file. Give the folder of a run, which holds its samples.csv.", .noBaseline,
      { _, run in
        try FileManager.default.removeItem(atPath: run)
        try Data().write(to: URL(fileURLWithPath: run))
      }
    ),
    (
      "RUN/samples.csv is empty. Record the run again.", .noBaseline,
      { folder, run in try folder.edit(run) { $0 = [] } }
    ),
    (
      "RUN/samples.csv holds no sample: its run ended before the first one.", .noBaseline,
      { folder, run in try folder.edit(run) { $0 = [$0[0], ""] } }
    ),
    (
      "cannot read RUN/environment.json: No such file or directory.", .cannotReadOrWrite,
      { _, run in try FileManager.default.removeItem(atPath: run + "/environment.json") }
    ),
  ]

  @Test(arguments: damages)
  func `a run that is missing or incomplete is refused with its place`(
    text: String, code: ExitCode, damage: Damage
  ) throws {
    try expect(text, code, after: damage)
  }

  @Test func `a FIFO in place of samples is refused`() throws {
    let folder = try RecordedFolder()
    let run = try folder.record("base")
    try FileManager.default.removeItem(atPath: "\(run)/samples.csv")
    #expect(mkfifo("\(run)/samples.csv", 0o600) == 0)
    let found = complaint(about: run)
    #expect(found?.text.contains("samples.csv: it is no regular file") == true, "\(found?.text ?? "nothing")")
    #expect(found?.code == .cannotReadOrWrite)
  }

  @Test func `a truncated last line is left out`() throws {
    let folder = try RecordedFolder()
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

  /// Whole lines are gone, which the file itself does not show.
  @Test(arguments: [(0, 0), (1, 1), (20, 20)])
  func `samples that the summary counts and the file lacks are counted`(cut: Int, lost: Int) throws {
    let folder = try RecordedFolder()
    let samples = RecordedFolder.samples()
    let path = try folder.record("base", samples)
    let analysis = RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: "floor"))
    try RunDirectory.open(path).write(analysis.summaries, as: RunDirectory.summaryName)
    try folder.edit(path) { $0.removeSubrange($0.count - 1 - cut..<$0.count - 1) }
    let run = try RecordedRun.read(path)
    #expect(run.lostSamples == lost)
    #expect(run.truncatedLine == nil)
  }

  @Test(
    arguments: [
      ("column wall_ns is missing from the header", ",wall_ns", ""),
      ("column wall_ns is missing from the header", ",wall_ns", ",wall_us"),
      ("column more is not known here", "run,generation", "run,more,generation"),
      ("column round stands twice in the header", "generation,round", "generation,round,round"),
    ])
  func `other columns are refused with their place`(text: String, old: String, new: String) throws {
    try expect("RUN/samples.csv:1: \(text)", .cannotReadOrWrite) { folder, run in
      try folder.edit(run) { $0[0] = $0[0].replacing(old, with: new) }
    }
  }

  @Test(
    arguments: [
      ("nan", "wall_ns", "holds \"nan\", which is no whole number"),
      ("inf", "wall_ns", "holds \"inf\", which is no whole number"),
      ("-5", "wall_ns", "is -5, which is negative"),
      ("864000000000001", "wall_ns", "holds 864000000000001, which is more than ten days"),
      ("9223372036854775807", "cpu_user_ns", "holds 9223372036854775807, which is more than ten days"),
      ("9223372036854775807", "allocations", "holds 9223372036854775807, which is more than can be counted"),
      ("9223372036854775808", "wall_ns", "holds \"9223372036854775808\", which is no whole number"),
      ("", "generation", "is empty, but this column always has a value"),
      ("0", "iterations", "is 0, which is less than 1"),
    ])
  func `an impossible number is refused with its place`(value: String, column: String, text: String) throws {
    try expect(
      "RUN/samples.csv:3: column \(column) \(text)", .cannotReadOrWrite, after: put(value, into: column))
  }

  @Test func `a repeated row is refused with its place`() throws {
    try expect(
      "RUN/samples.csv:6: column round repeats line 3: the same generation, round, position, contender and scenario",
      .cannotReadOrWrite
    ) { folder, run in try folder.edit(run) { $0.insert($0[2], at: 5) } }
  }

  /// As the reference has in some rounds.
  @Test func `a second sample of a round is read`() throws {
    let folder = try RecordedFolder()
    let run = try folder.record("base")
    try folder.edit(run) { lines in
      var fields = lines[2].split(separator: ",", omittingEmptySubsequences: false)
      fields[3] = "9"
      lines.insert(fields.joined(separator: ","), at: 5)
    }
    #expect(try RecordedRun.whole(run).2.samples.count == RecordedFolder.samples().count + 1)
  }

  @Test(
    arguments: [
      ("{\"run\": 1", "RUN/environment.json: is no JSON: Unexpected end of file during JSON parse."),
      ("{", "RUN/environment.json: is no JSON: "), ("", "RUN/environment.json: is no JSON: "),
      ("{}", "RUN/environment.json: "),
      ("{\"run\": 1}", "RUN/environment.json: run holds another kind of value than it should."),
      ("{\"seed\": -1}", "RUN/environment.json: seed is -1, and nothing there is below zero."),
      (
        "{\"parts\": [{\"core_count\": -1}]}",
        "RUN/environment.json: parts.core_count is -1, and nothing there is below zero."
      ), ("\u{FFFD}\u{0}", "RUN/environment.json: is no JSON: "),
    ])
  func `a damaged environment is refused with a reason`(content: String, text: String) throws {
    try expect(text, .cannotReadOrWrite) { _, run in
      try Data(content.utf8).write(to: URL(fileURLWithPath: run + "/environment.json"))
    }
  }
}
