import Verdicts
@testable import Harness
import Results
import TestSupport
import Testing
import UploadScenario

/// A contender that saves work it was asked for is no sooner measured than found out, and never ranked.
@Suite(.ownThread, .serialized) struct CheatTests {
  private let scenario = Scenario(name: "three", photos: 3)

  private func worker(_ contender: any Contender) -> UploadWorker {
    UploadWorker(.faked(contender, clock: FakeClock().clock))
  }

  @Test(
    arguments: [
      (.skipsAnUpload, "media file 2: got never started, expected started 1, finished 1"),
      (.skipsAllUploads, "media file 0: got never started, expected started 1, finished 1 (and 2 more)"),
      (.answersFromACache, "media file 0: got never started, expected started 1, finished 1 (and 3 more)"),
      (.postsBeforeItUploads, "post: got asked for after 0 answers, expected after 3 answers"),
      (.postsBeforeTheLastAnswer, "post: got asked for after 2 answers, expected after 3 answers"),
      (.completesBeforeThePost, "completion: got called before the post was created, expected after it"),
      (
        .completesBeforeAnything,
        "completion: got called before the post was created, expected after it (and 1 more)"
      ),
    ] as [(CheatingContender.Cheat, String)])
  func `work that a contender skips is reported`(_ cheat: CheatingContender.Cheat, reason: String) throws {
    let reply = try worker(CheatingContender(cheat)).run(SampleRequest(scenario: scenario, iterations: 1))
    #expect(reply.outcome == .wrong)
    #expect(reply.reason == reason)
  }

  /// Cheats from the very first post, after the warm-up, and after so many posts that counting passes are over, too.
  /// All in one process of their own, because a run counts.
  @Test func `a contender that cheats in any sample is not ranked`() async {
    await #expect(processExitsWith: .success) {
      for cheat in CheatingContender.Cheat.allCases {
        for honestPosts in [0, 3, 40] { try CheatTests().expectUnranked(cheat, afterPosts: honestPosts) }
      }
    }
  }

  private func expectUnranked(_ cheat: CheatingContender.Cheat, afterPosts honestPosts: Int) throws {
    let workers = [
      "honest": worker(FakeContender(.honest)), "other": worker(FakeContender(.honest)),
      "cheat": worker(CheatingContender(cheat, afterPosts: honestPosts)),
    ]
    let plan = RunPlan(run: "test", contenders: workers.keys.sorted(), scenarios: [scenario]) { plan in
      plan.generations = 2
      plan.rounds = 30
      plan.sampleNanoseconds = 1
    }
    let launcher = FakeLauncher { name, request throws(WorkerFailure) in
      do { return try workers[name]!.run(request) } catch { throw .died(how: "\(error)") }
    }
    var samples: [Sample] = []
    #expect(
      try Runner(
        plan: plan, launcher: launcher.launch, clock: FakeClock().clock, record: { samples.append($0) }
      )
      .run())
    let analysis = RunAnalysis(
      run: "test", samples: samples,
      options: AnalysisOptions(reference: "honest") { $0.rankResamples = 100 })
    let summaries = Dictionary(uniqueKeysWithValues: analysis.summaries.map { ($0.contender, $0) })
    #expect(summaries["cheat"]?.outcome == .wrong, "\(cheat) after \(honestPosts) posts")
    #expect(summaries["cheat"]?.rankGroup == nil)
    #expect(summaries["cheat"]?.ratio == nil)
    #expect(summaries["cheat"]?.verdict == nil)
    for honest in ["honest", "other"] { #expect(summaries[honest]?.rankGroup != nil) }
    let cheated = samples.filter { $0.contender == "cheat" }
    #expect(cheated.count { $0.outcome == .wrong } == 1)
    // Before it was found out it was measured like anybody else.
    #expect(honestPosts < 3 || cheated.contains { $0.outcome == .measured })
  }
}
