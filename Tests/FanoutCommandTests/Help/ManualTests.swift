import Foundation
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct ManualTests {
  private static let text = Manual(
    program: "bench", commands: Subcommand.shown + [.runBenchmarks, .checkBenchmarks],
    date: Date(timeIntervalSince1970: 1_700_000_000)
  ).text

  @Test func everythingThatTheHelpKnowsIsThere() {
    let unfolded = Self.text.replacing("\n", with: " ")
    for command in Subcommand.allCases where command != .worker {
      #expect(Self.text.contains(".SS \"\(Roff.text(command.name))\""))
      for option in command.options {
        #expect(Self.text.contains("\(Roff.bold(option.name))"), "\(option.name)")
        #expect(unfolded.contains(Roff.text(option.summary)), "\(option.summary)")
      }
    }
    for code in ExitCode.allCases { #expect(unfolded.contains(Roff.text(code.meaning))) }
    #expect(Self.text.hasPrefix(".TH \"BENCH\" 1 2023-11-14 Fanout\n"))
  }

  @Test(.enabled(if: Program.runs(["sh", "-c", "command -v mandoc"]), "mandoc is not installed"))
  func mandocHasNothingToSay() throws {
    let (status, output) = try lint(["mandoc", "-T", "lint"])
    #expect(status == 0 && output.isEmpty, "\(output)")
  }

  @Test(.enabled(if: Program.runs(["sh", "-c", "command -v groff"]), "groff is not installed"))
  func groffHasNothingToSay() throws {
    let (status, output) = try lint(["groff", "-man", "-ww", "-z", "-K", "utf8"])
    #expect(status == 0 && output.isEmpty, "\(output)")
  }

  private func lint(_ command: [String]) throws -> (status: Int32, output: String) {
    let folder = try Scratch()
    try Data(Self.text.utf8).write(to: URL(fileURLWithPath: folder.path("bench.1")))
    return try Program.run(command + [folder.path("bench.1")])
  }
}
