import RawThreads
import Results
import Synchronization
import UploadScenario

/// Is notified when a post (a job of uploads) ends, on any thread.
protocol PostListener: Sendable {
  func postEnded()
  /// The contender has released the completion closure, so no further call of it can come.
  func completionReleased(wasCalled: Bool)
}

/// A post (a job of uploads) in flight: records its completion's calls and release. Can be reused once `isQuiet` is true.
final class PostInFlight<Listener: PostListener>: Sendable {
  /// An object that only the completion retains, so that `deinit` shows the completion's release.
  private final class Token: Sendable {
    let post: PostInFlight
    init(_ post: PostInFlight) { self.post = post }
    deinit {
      post.releasedAt.store(post.clock.nanoseconds(), ordering: .releasing)
      post.listener.completionReleased(wasCalled: post.completionCount > 0)
    }
  }

  let ledger: Ledger
  private let clock: HarnessClock
  private let listener: Listener
  private let completions = Atomic<Int>(0)
  private let completedAt = Atomic<UInt64>(0)
  private let releasedAt = Atomic<UInt64>(0)
  private let firstResult = Mutex<Result<Publication, any Error>?>(nil)

  init(ledger: Ledger, clock: HarnessClock, listener: Listener) {
    self.ledger = ledger
    self.clock = clock
    self.listener = listener
  }

  /// Prepares for a new post. Returns the completion for the contender.
  func open() -> Completion {
    ledger.open()
    completions.store(0, ordering: .relaxed)
    completedAt.store(0, ordering: .relaxed)
    releasedAt.store(0, ordering: .relaxed)
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

  // MARK: The post's result

  var completionCount: Int { completions.load(ordering: .acquiring) }

  /// The result and the time of the completion's first call.
  var ending: (result: Result<Publication, any Error>, nanoseconds: UInt64)? {
    firstResult.withLock { $0 }.map { ($0, completedAt.load(ordering: .acquiring)) }
  }

  /// The time at which the contender released the completion; `nil` before that.
  var releaseNanoseconds: UInt64? {
    let moment = releasedAt.load(ordering: .acquiring)
    return moment == 0 ? nil : moment
  }

  /// Whether nothing is left of the post: the completion is released, and the service has answered every request.
  var isQuiet: Bool { releaseNanoseconds != nil && ledger.isQuiet }

  var remains: String {
    releaseNanoseconds != nil
      ? "\(ledger.uploadsInFlight) uploads are still in flight after the job ended"
      : "the completion closure is still retained after the job ended"
  }

  /// How the post's end differs from the expectation; `nil` if it does not.
  func fault(_ expectation: Expectation, _ record: LedgerRecord) -> (outcome: Outcome, reason: String)? {
    guard let result = ending?.result else {
      return (.wrong, "a post is lost: its completion was released and never called")
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
  fileprivate var isQuiet: Bool { uploadsInFlight == 0 && chunksAlive == 0 }
}

// MARK: Waiting for the post

extension Parker: PostListener {
  func postEnded() { unpark() }
  func completionReleased(wasCalled: Bool) { unpark() }
}

extension PostInFlight where Listener == Parker {
  /// Waits for the first call of the completion. Returns false if the deadline came first.
  func waitForCompletion(untilNanoseconds deadline: UInt64) -> Bool {
    // `ending` and not the count of calls is checked, because the count rises before the result is stored.
    let begin = clock.nanoseconds()
    let half = begin + (deadline > begin ? deadline - begin : 0) / 2
    if wait(untilNanoseconds: half, { ending != nil }) { return true }
    var deadline = deadline
    while true {
      let (start, since) = (ReadyTime(), clock.nanoseconds())
      if wait(untilNanoseconds: deadline, { ending != nil }) { return true }
      // If other processes had the processors, the post gets more time. The parent process has a timeout of its own.
      guard start?.isStarvedSince == true else { return false }
      deadline += max(100_000_000, clock.nanoseconds() - since)
    }
  }

  /// Waits until nothing is left of the post. Returns a description of what is left at the deadline, or `nil`.
  func waitUntilQuiet(untilNanoseconds deadline: UInt64) -> String? {
    _ = wait(untilNanoseconds: deadline) { releaseNanoseconds != nil }
    while releaseNanoseconds != nil, !ledger.isQuiet {
      let now = clock.nanoseconds()
      if now >= deadline { break }
      _ = clock.park(listener, min(deadline, now + 50_000))
    }
    return isQuiet ? nil : remains
  }

  private func wait(untilNanoseconds deadline: UInt64, _ condition: () -> Bool) -> Bool {
    while !condition() {
      // The deadline and a wake-up may coincide, so the condition is checked again.
      if !clock.park(listener, deadline) { return condition() }
    }
    return true
  }
}
