import Foundation
import TestSupport
import Testing

@testable import Exports

/// The installed tools themselves read the exports.
@Suite(.ownThread) struct ExportToolTests {
  @Test(
    .enabled(if: Program.runs(["python3", "-c", "import pyperf"]), "pyperf is not installed (PyPI has it)"))
  func `pyperf reads every value`() throws {
    let output = try Tool.output(of: ["python3", "-m", "pyperf", "stats"], .pyperf, "json", values: 0)
    #expect(output.contains("Number of benchmarks: 5"))
    #expect(output.contains("Number of run with values: 2"))
    #expect(output.contains("Total number of values: 12"))
    #expect(output.contains("Loop iterations per value: 20"))
  }

  @Test(
    .enabled(if: Program.runs(["python3", "-c", "import pyperf"]), "pyperf is not installed (PyPI has it)"))
  func `pyperf compares runs of different length`() throws {
    let longer = FixedRun.run(
      FixedRun.cell("callbacks", microseconds: 100, rounds: 20)
        + FixedRun.cell("futures", microseconds: 300, rounds: 20))
    let file = try Tool.file(longer, .pyperf, "json", values: nil)
    defer { try? FileManager.default.removeItem(at: file) }
    let output = try Tool.output(
      of: ["python3", "-m", "pyperf", "compare_to", file.path], .pyperf, "json", values: nil)
    #expect(output.contains("publish-instant-100/futures/n=100"), "\(output)")
    #expect(!output.contains("ERROR"), "\(output)")
  }

  @Test(.enabled(if: Program.runs(["sh", "-c", "command -v benchstat"]), "benchstat is not on the PATH"))
  func `benchstat compares contenders`() throws {
    let output = try Tool.output(
      of: ["benchstat", "-col", "/impl", "-row", ".name,/n", "-ignore", ".file"], .benchstat, "txt",
      values: nil)
    #expect(output.contains("swift-concurrency~detached"))
    #expect(output.contains("publish-instant-100 100"))
    #expect(output.contains("(p=0.000 n=12)"))
    #expect(!output.contains("parsing"))
  }
}

private enum Tool {
  /// The output of a tool for the fixed run.
  static func output(of command: [String], _ format: ExportFormat, _ ending: String, values: Int?) throws
    -> String
  {
    let file = try file(FixedRun.run(), format, ending, values: values)
    defer { try? FileManager.default.removeItem(at: file) }
    let (status, output) = try Program.run(command + [file.path])
    #expect(status == 0, "\(output)")
    return output
  }

  static func file(_ run: ExportedRun, _ format: ExportFormat, _ ending: String, values: Int?) throws -> URL {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).\(ending)")
    try Data(format.export(run, values: values).text.utf8).write(to: file)
    return file
  }
}
