import Verdicts
import Foundation
import Results
import TestSupport
import Testing

@testable import FanoutCommand

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
