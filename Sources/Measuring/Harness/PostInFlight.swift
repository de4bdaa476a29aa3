import RawThreads
import Results
import Synchronization
import UploadScenario

/// Who is told of a post's end, on whatever thread that comes.
protocol PostListener: Sendable {
  /// The completion was called for the first time.
  func postEnded()
  /// The contender has let go of the completion: nobody can call it any more.
  func completionReleased(wasCalled: Bool)
}

/// One post in flight: hears the completion, however often it is called, and when it is let go of. Used again once all is quiet.
final class PostInFlight<Listener: PostListener>: Sendable {
  /// Lives as long as the completion does: its end says that the contender has let go of the completion.
  private final class Token: Sendable {
    let post: PostInFlight
    init(_ post: PostInFlight) { self.post = post }
    deinit {
      post.letGoAt.store(post.clock.nanoseconds(), ordering: .releasing)
      post.listener.completionReleased(wasCalled: post.completionCount > 0)
    }
  }

  let ledger: Ledger
  private let clock: HarnessClock
  private let listener: Listener
  private let completions = Atomic<Int>(0)
  private let completedAt = Atomic<UInt64>(0)
  /// 0: it has not been.
  private let letGoAt = Atomic<UInt64>(0)
  private let firstResult = Mutex<Result<Publication, any Error>?>(nil)

  init(ledger: Ledger, clock: HarnessClock, listener: Listener) {
    self.ledger = ledger
    self.clock = clock
    self.listener = listener
  }

  /// Opens the ledger and forgets the post before; the completion is to be given to the contender.
  func open() -> Completion {
    ledger.open()
    completions.store(0, ordering: .relaxed)
    completedAt.store(0, ordering: .relaxed)
    letGoAt.store(0, ordering: .relaxed)
    firstResult.withLock { $0 = nil }
    let token = Token(self)
    return { result in token.post.complete(result) }
  }

  private func complete(_ result: Result<Publication, any Error>) {
    let now = clock.nanoseconds()
    guard completions.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    ledger.close()
    completedAt.store(now, ordering: .releasing)
    firstResult.withLock { $0 = result }
    listener.postEnded()
  }

  // MARK: What came of it

  /// How often the completion was called.
  var completionCount: Int { completions.load(ordering: .acquiring) }

  /// What the first call of the completion said, and when it came on the clock.
  var ending: (result: Result<Publication, any Error>, nanoseconds: UInt64)? {
    firstResult.withLock { $0 }.map { ($0, completedAt.load(ordering: .acquiring)) }
  }

  /// When the contender let go of the completion, on the clock; nil if it has not.
  var letGoNanoseconds: UInt64? {
    let moment = letGoAt.load(ordering: .acquiring)
    return moment == 0 ? nil : moment
  }

  /// Whether nothing of the post is left: the contender has let go of the completion and the service has answered all.
  var isQuiet: Bool { letGoNanoseconds != nil && ledger.isQuiet }

  /// What is left of a post that is not quiet.
  var remains: String {
    letGoNanoseconds != nil
      ? "\(ledger.uploadsInFlight) uploads are still in flight after the job ended"
      : "the completion is still held after the job ended"
  }

  /// Why the post cannot be measured; nil if it ended as it should.
  func fault(_ expectation: Expectation, _ record: LedgerRecord) -> (outcome: Outcome, reason: String)? {
    guard let result = ending?.result else {
      return (.wrong, "a post is lost: its completion was let go and never called")
    }
    if completionCount != 1 {
      return (.wrong, "completion: called \(completionCount) times, expected once")
    }
    let differences = expectation.differences(result: result, record: record)
    if case .failure(let error) = result, expectation.ending == .publication {
      return (.failed, "ended with an error: \(error)")
    }
    let others = differences.count > 1 ? " (and \(differences.count - 1) more)" : ""
    return differences.first.map { (.wrong, "\($0)\(others)") }
  }
}

extension Ledger {
  /// Cancelled uploads answer in their own time, and a chunk may just be being read.
  fileprivate var isQuiet: Bool { uploadsInFlight == 0 && chunksAlive == 0 }
}

// MARK: Waiting for it

extension Parker: PostListener {
  func postEnded() { unpark() }
  func completionReleased(wasCalled: Bool) { unpark() }
}

extension PostInFlight where Listener == Parker {
  /// Waits for the first call of the completion; false if the moment came first.
  func waitForCompletion(untilNanoseconds deadline: UInt64) -> Bool {
    // Not the count: that is raised before the result is there.
    let begin = clock.nanoseconds()
    let half = begin + (deadline > begin ? deadline - begin : 0) / 2
    if wait(untilNanoseconds: half, { ending != nil }) { return true }
    var deadline = deadline
    while true {
      let (start, since) = (ReadyTime(), clock.nanoseconds())
      if wait(untilNanoseconds: deadline, { ending != nil }) { return true }
      // Time in which others had the processors does not count. The parent ends what takes too long all the same.
      guard start?.isStarvedSince == true else { return false }
      deadline += max(100_000_000, clock.nanoseconds() - since)
    }
  }

  /// Waits until nothing of the post is left; says what is if the moment came first.
  func waitUntilQuiet(untilNanoseconds deadline: UInt64) -> String? {
    _ = wait(untilNanoseconds: deadline) { letGoNanoseconds != nil }
    while letGoNanoseconds != nil, !ledger.isQuiet {
      let now = clock.nanoseconds()
      if now >= deadline { break }
      _ = clock.park(listener, min(deadline, now + 50_000))
    }
    return isQuiet ? nil : remains
  }

  private func wait(untilNanoseconds deadline: UInt64, _ condition: () -> Bool) -> Bool {
    while !condition() {
      // One last look: what woke the thread and the deadline may coincide.
      if !clock.park(listener, deadline) { return condition() }
    }
    return true
  }
}
