import Foundation
import TestSupport
import Testing

@testable import Exports

/// The tools themselves read what they are given, where they are installed.
@Suite(.ownThread) struct ExportToolTests {
  @Test(
    .enabled(if: Program.runs(["python3", "-c", "import pyperf"]), "pyperf is not installed (PyPI has it)"))
  func pyperfReadsEveryValue() throws {
    let output = try Tool.output(of: ["python3", "-m", "pyperf", "stats"], .pyperf, "json")
    #expect(output.contains("Number of benchmarks: 5"))
    #expect(output.contains("Number of run with values: 2"))
    #expect(output.contains("Total number of values: 12"))
    #expect(output.contains("Loop iterations per value: 20"))
  }

  @Test(.enabled(if: Program.runs(["sh", "-c", "command -v benchstat"]), "benchstat is not on the PATH"))
  func benchstatComparesContenders() throws {
    let output = try Tool.output(
      of: ["benchstat", "-col", "/impl", "-row", ".name,/n", "-ignore", ".file"], .benchstat, "txt")
    #expect(output.contains("swift-concurrency~detached"))
    #expect(output.contains("publish-instant-100 100"))
    #expect(output.contains("(p=0.000 n=12)"))
    #expect(!output.contains("parsing"))
  }
}

/// What reads an export.
private enum Tool {
  /// What it says of the fixed run in its format.
  static func output(of command: [String], _ format: ExportFormat, _ ending: String) throws -> String {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).\(ending)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(format.export(FixedRun.run()).text.utf8).write(to: file)
    let (status, output) = try Program.run(command + [file.path])
    #expect(status == 0, "\(output)")
    return output
  }
}
