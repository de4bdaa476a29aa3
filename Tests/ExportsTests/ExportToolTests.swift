import Foundation
import Testing

@testable import Exports

/// The tools themselves read what they are given, where they are installed.
@Suite struct ExportToolTests {
  @Test(.enabled(if: Tool.runs(["python3", "-c", "import pyperf"]), "pyperf is not installed (PyPI has it)"))
  func pyperfReadsEveryValue() throws {
    let output = try Tool.output(of: ["python3", "-m", "pyperf", "stats"], .pyperf, "json")
    #expect(output.contains("Number of benchmarks: 5"))
    #expect(output.contains("Number of run with values: 2"))
    #expect(output.contains("Total number of values: 12"))
    #expect(output.contains("Loop iterations per value: 20"))
  }

  @Test(.enabled(if: Tool.runs(["sh", "-c", "command -v benchstat"]), "benchstat is not on the PATH"))
  func benchstatComparesContenders() throws {
    let output = try Tool.output(
      of: ["benchstat", "-col", "/impl", "-row", ".name,/n", "-ignore", ".file"], .benchstat, "txt")
    #expect(output.contains("swift-concurrency~detached"))
    #expect(output.contains("publish-instant-100 100"))
    #expect(output.contains("(p=0.000 n=12)"))
    #expect(!output.contains("parsing"))
  }
}

/// Somebody else's program.
private enum Tool {
  /// Whether it ends well.
  static func runs(_ command: [String]) -> Bool {
    (try? run(command))?.status == 0
  }

  /// What it says of the fixed run in its format.
  static func output(of command: [String], _ format: ExportFormat, _ ending: String) throws -> String {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).\(ending)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(format.export(FixedRun.run()).text.utf8).write(to: file)
    let (status, output) = try run(command + [file.path])
    #expect(status == 0, "\(output)")
    return output
  }

  private static func run(_ command: [String]) throws -> (status: Int32, output: String) {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
