import Dispatch
import Exploration
import Foundation
import RawThreads
import Synchronization
import TestSupport
import Testing
import UploadScenario

@testable import UploadExploration

@Suite(.ownThread) struct ExplorerTests {
  /// Publishes with callbacks, and breaks one requirement if it has a flaw.
  private struct Plain: PartialContender {
    enum Flaw: Sendable, CaseIterable {
      case completionOrder, noCancellation, postsAfterFailure, answersTwice, forgetsTheLast,
        keepsTheCompletion, blocks
    }

    let name = "plain"
    let summary = "callbacks"
    let patterns = [Pattern.publish]
    let flaw: Flaw?

    final class Job: Cancellable {
      struct State {
        var completion: Completion?
        var receipts: [Receipt] = []
        var handles: [any Cancellable] = []
        var isPosting = false
      }
      static let blocked = DispatchSemaphore(value: 0)
      static let kept = Mutex<[Completion]>([])
      let state: Mutex<State>
      let flaw: Flaw?

      init(_ completion: @escaping Completion, _ flaw: Flaw?) {
        state = Mutex(State(completion: completion))
        if flaw == .keepsTheCompletion { Self.kept.withLock { $0.append(completion) } }
        self.flaw = flaw
      }

      func cancel() {
        if state.withLock({ $0.isPosting }) {
          for handle in state.withLock({ $0.handles }) { handle.cancel() }
        } else {
          end(.failure(CancellationError()))
        }
      }

      func end(_ result: Result<Publication, any Error>) {
        let (completion, handles) = state.withLock { state in
          defer { state.handles = [] }
          return (state.completion.take(), state.handles)
        }
        if flaw == .blocks, case .failure = result { Self.blocked.wait() }
        if flaw != .noCancellation { for handle in handles { handle.cancel() } }
        completion?(result)
        if flaw == .answersTwice, case .failure = result { completion?(result) }
      }
    }

    func publish(_ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion)
      -> any Cancellable
    {
      let job = Job(completion, flaw)
      for media in post.media {
        let handle = service.upload(media) { result in
          switch result {
          case .failure(let error):
            job.end(.failure(error))
            if flaw == .postsAfterFailure { _ = service.createPost(post, receipts: []) { _ in } }
          case .success(let receipt): arrived(receipt, post, job, service)
          }
        }
        job.state.withLock { $0.handles.append(handle) }
      }
      return job
    }

    private func arrived(_ receipt: Receipt, _ post: Post, _ job: Job, _ service: some UploadService) {
      let receipts = job.state.withLock { state in
        state.receipts.append(receipt)
        return state.completion == nil ? [] : state.receipts
      }
      guard receipts.count == post.media.count - (flaw == .forgetsTheLast ? 1 : 0) else { return }
      let ordered = flaw == .completionOrder ? receipts : receipts.sorted { $0.mediaIndex < $1.mediaIndex }
      job.state.withLock { ($0.isPosting, $0.handles) = (true, []) }
      let handle = service.createPost(post, receipts: ordered) { job.end($0) }
      job.state.withLock { $0.handles.append(handle) }
    }
  }

  private func explorer(_ flaw: Plain.Flaw?, named name: String = "plain", stepTime: Duration = .seconds(60))
    -> Explorer
  {
    let subject = Explorer.Subject(name: name, patterns: [.publish]) { (Plain(flaw: flaw), TimerSteps()) }
    return Explorer(seed: 1, subjects: [subject], stepTime: stepTime)
  }

  private func explore(_ flaw: Plain.Flaw?) -> Explorer.Report {
    explorer(flaw).explore(patterns: [.publish], budget: .seconds(2))
  }

  @Test func `an honest contender is explored to the end`() {
    let report = explore(nil)
    // Only the jobs without a limit count: this contender ignores limits.
    #expect(report.failures.filter { $0.rule != "limit" } == [])
    #expect(report.coverage.contains { $0.isExhausted })
    #expect(report.schedules > 500)
  }

  @Test(arguments: Plain.Flaw.allCases.filter { $0 != .blocks })
  private func `each flaw is found with its schedule`(_ flaw: Plain.Flaw) throws {
    let (rule, words) =
      switch flaw {
      case .completionOrder: ("order", "at index")
      case .noCancellation: ("in-flight-cancelled", "neither answered nor cancelled")
      case .postsAfterFailure: ("no-post-after-failure", "createPost called")
      case .answersTwice: ("exactly-once", "called 2 times")
      case .forgetsTheLast: ("post-last", "1 upload had not succeeded")
      case .keepsTheCompletion: ("nothing-left", "the completion still held")
      case .blocks: ("ends", "it blocks its thread")
      }
    // Jobs with a limit break another rule: this contender ignores limits.
    let failures = explore(flaw).failures
    let failure = try #require(
      failures.first { $0.rule == rule && $0.problem.contains(words) }, "\(failures)")
    #expect(!failure.schedule.isEmpty)
  }

  @Test func `a finding writes a file that replays it`() throws {
    // The finding's file has the subject's name, which no other test or process uses.
    let name = "plain \(ProcessInfo.processInfo.processIdentifier)"
    let finds = explorer(.completionOrder, named: name)
    let failure = try #require(
      finds.explore(patterns: [.publish], budget: .seconds(2)).failures.first { $0.rule == "order" })
    let file = try ScheduleFile(path: try #require(failure.file))
    #expect(file.place.hasPrefix("\(name) publish of"))
    let again = try finds.replay(file) { _ in }
    #expect(again?.rule == "order")
    #expect(again?.schedule == failure.schedule)
    #expect(try explorer(nil, named: name).replay(file) { _ in }?.rule != "order")
    #expect(throws: Explorer.UnknownJob.self) { try Explorer(seed: 1).replay(file) { _ in } }
  }

  @Test func `a contender that blocks its thread is reported`() throws {
    let given = PendingAnswer<Explorer.Report>()
    let explorer = explorer(.blocks, stepTime: .seconds(1))
    let thread = RawThread(name: "explores") {
      _ = explorer.explore(patterns: [.publish], budget: .seconds(2)) { given.give($0) }
    }
    let failure = try #require(given.wait().failures.last)
    #expect(failure.problem.contains("it blocks its thread"), "\(failure)")
    // Unblocks it, so that the thread ends.
    for _ in 0..<1_000_000 { Plain.Job.blocked.signal() }
    thread.join()
    let file = try ScheduleFile(path: try #require(failure.file))
    #expect(try explorer.replay(file) { _ in } == nil)
  }

  /// `publish` of three ends within seconds; `race` takes far longer than anyone waits.
  @Test(arguments: [(Pattern.publish, false), (.race, true)])
  func `a search that would take far too long is given up`(_ pattern: Pattern, isHopeless: Bool) throws {
    let job = try #require(Explorer(seed: 1).jobs(["swift-concurrency"], [pattern]).first { $0.isSmall })
    let run = ScheduledRun(job.expectation, job.subject, Search(.exhaustive(reduced: true)))
    while run.search.schedules < 500, run.search.begin() { #expect(run.breach() == nil) }
    #expect(Explorer.isHopeless(run.search.progress, turns: 1, left: 11) == isHopeless)
    #expect(!Explorer.isHopeless(run.search.progress, turns: 1, left: .infinity))
  }

  @Test func `every job has a unique place`() {
    let places = Explorer(seed: 1).jobs(nil, Pattern.allCases).map(\.place)
    #expect(Set(places).count == places.count)
  }

  @Test func `every interleaving of this package's runtimes meets the requirements`() {
    let report = Explorer(seed: 1).explore(budget: .seconds(Effort.count(2, thorough: 6)))
    for failure in report.failures { Issue.record("\(failure)") }
    #expect(report.schedules > report.jobs)
  }
}
