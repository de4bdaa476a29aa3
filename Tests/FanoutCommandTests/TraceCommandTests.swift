@testable import Harness
import Foundation
import Results
import TestSupport
import Testing
import UploadScenario
import Verdicts

@testable import FanoutCommand

@Suite(.ownThread) struct TraceCommandTests {
  private let known = ContenderList([Named("a"), Named("b"), Named("c", [.sequence])])

  private func options(_ arguments: String...) throws -> TraceOptions {
    try TraceOptions(arguments, known: known)
  }

  @Test func `ten uploads of every contender are traced by default`() throws {
    let options = try options()
    #expect(options.scenario.name == "publish-latency-10")
    #expect(options.contenders == ["a", "b"])
    #expect(options.run == "results/latest" && options.output == nil)
  }

  @Test func `options choose the scenario, the contenders and the output`() throws {
    let options = try options(
      "--contenders", "c,a", "--patterns", "sequence", "--fan-out", "4", "--seed", "9", "--output", "x")
    #expect(options.contenders == ["a", "c"])
    #expect(options.scenario.name == "sequence-instant-4" && options.scenario.seed == 9)
    #expect(options.output == "x")
  }

  @Test(
    arguments: Refusal.table(
      """
      --fan-out 1,10 => a trace is of one post, and 2 scenarios are asked for: give one, such as --scenario publish-instant-1.
      --fan-out 10 --overlap 4 => publish-instant-10-overlap-4 is many posts at once, and a trace is of one: take a scenario without --overlap.
      --fan-out 1001 => publish-instant-1001 has 1001 requests, and a trace has room for 1000: take a smaller --fan-out.
      --cancel-after 1ms => publish-latency-100-cancel-after-1ms waits for its user to cancel it, and no span says that: take a scenario without --cancel-after.
      --contenders c => none of c writes publish.
      --run x --output y => --run and --output exclude each other.
      --scenario publish-latency-11 => unknown scenario “publish-latency-11”. Did you mean publish-latency-10?
      results/latest => unexpected “results/latest”: options begin with --.
      """))
  func `bad arguments are refused with a reason`(_ refusal: Refusal) {
    refusal.expect { _ = try TraceOptions($0, known: known) }
  }

  @Test func `a trace without a place to write is not recorded`() throws {
    let folder = try RecordedFolder()
    let there = try folder.record("run") + "/samples.csv"
    // Where nothing is recorded, as for `report`, `compare` and `explain`.
    for (place, code) in [
      (["--run", folder.path], ExitCode.noBaseline), (["--output", there], .cannotReadOrWrite),
    ] {
      #expect(Bench.run(["trace", "--allow-debug-build"] + place, among: known) == code)
    }
    #expect(Bench.run(["trace"], among: known) == (Environment.isReleaseBuild ? .noBaseline : .usage))
  }

  @Test func `a contender that fails is reported and the others are traced`() throws {
    let report = try TraceCommand.report(
      try options(), try options().scenario,
      launcher: fakeWorkers { contender, _ throws(WorkerFailure) in
        if contender == "a" { throw .silent(seconds: 9) }
        var reply = TraceReply(outcome: .measured, reason: nil)
        reply.post = PostTrace(
          requests: [], startReturned: 1, completed: PostTrace.Moment(thread: 0, nanoseconds: 2),
          asksAtOnce: true)
        return reply
      })
    #expect(report.posts.map(\.contender) == ["b"])
    #expect(!report.document([]).text().contains("has no end"))
    #expect(report.faults.map(\.contender) == ["a"])
    #expect(report.faults[0].reason == "its worker gave no answer within 9 s and was ended")
  }
}
