import Results
import Synchronization
import TestSupport
import Testing
import UploadScenario
import Verdicts

@testable import Harness

@Suite(.ownThread, .serialized) struct CheatTests {
  private let scenario = Scenario(name: "three", photos: 3)

  private func worker(_ contender: any Contender) -> UploadWorker {
    UploadWorker(.faked(contender, clock: FakeClock().clock))
  }

  /// Cheats from the first post, after the warm-up, or after all counting passes. In a process of its own, because a run counts.
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
      ).run())
    let analysis = RunAnalysis(
      run: "test", samples: samples, options: AnalysisOptions(reference: "honest") { $0.rankResamples = 100 })
    let summaries = Dictionary(uniqueKeysWithValues: analysis.summaries.map { ($0.contender, $0) })
    #expect(summaries["cheat"]?.outcome == .wrong, "\(cheat) after \(honestPosts) posts")
    #expect(summaries["cheat"]?.rankGroup == nil)
    #expect(summaries["cheat"]?.ratio == nil)
    #expect(summaries["cheat"]?.verdict == nil)
    for honest in ["honest", "other"] { #expect(summaries[honest]?.rankGroup != nil) }
    let cheated = samples.filter { $0.contender == "cheat" }
    let wrong = cheated.filter { $0.outcome == .wrong }
    #expect(wrong.count == 1 && wrong[0].reason?.contains(", expected ") == true)
    #expect(honestPosts < 3 || cheated.contains { $0.outcome == .measured })
  }
}

/// Uploads honestly for a while, then skips work and invents the receipts, which are right: only the service's record reveals it.
final class CheatingContender: PartialContender {
  enum Cheat: String, Sendable, CaseIterable {
    case skipsAnUpload, skipsAllUploads, answersFromACache, postsBeforeItUploads, postsBeforeTheLastAnswer,
      completesBeforeThePost, completesBeforeAnything
  }

  let name: String
  private let cheat: Cheat
  /// The number of honest posts at first, to deceive a check that looks only at the beginning.
  private let honestPosts: Int
  private let posts = Atomic<Int>(0)
  private let cache = Mutex<Publication?>(nil)

  init(_ cheat: Cheat, afterPosts honestPosts: Int = 0) {
    self.cheat = cheat
    self.honestPosts = honestPosts
    name = cheat.rawValue
  }

  private final class Job: Cancellable { func cancel() {} }

  func publish(_ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion)
    -> any Cancellable
  {
    let isHonest = posts.add(1, ordering: .relaxed).oldValue < honestPosts
    let madeUp = Publication(postID: post.id, receipts: post.media.map(\.expectedReceipt))
    func upload(_ media: some Sequence<Media>) { for media in media { _ = service.upload(media) { _ in } } }
    func create(_ ended: @escaping Completion) {
      _ = service.createPost(post, receipts: madeUp.receipts, completion: ended)
    }
    if isHonest {
      upload(post.media)
      create { [self] result in
        cache.withLock { $0 = try? result.get() }
        completion(result)
      }
      return Job()
    }
    switch cheat {
    case .skipsAnUpload:
      upload(post.media.dropLast())
      create(completion)
    case .skipsAllUploads: create(completion)
    case .answersFromACache: completion(.success(cache.withLock { $0 } ?? madeUp))
    case .postsBeforeItUploads:
      create { _ in }
      upload(post.media)
      completion(.success(madeUp))
    case .postsBeforeTheLastAnswer:
      upload(post.media.dropLast())
      create { _ in }
      upload(post.media.suffix(1))
      completion(.success(madeUp))
    case .completesBeforeThePost:
      upload(post.media)
      completion(.success(madeUp))
      create { _ in }
    case .completesBeforeAnything:
      completion(.success(madeUp))
      upload(post.media)
      create { _ in }
    }
    return Job()
  }
}
