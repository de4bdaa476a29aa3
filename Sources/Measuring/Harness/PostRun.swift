import RawThreads
import Synchronization
import UploadScenario

/// One post in flight: hears the completion, however often and on whatever thread it is called.
final class PostRun: Sendable {
  /// Lives as long as the completion does: its end says that the contender has let go of the completion.
  private final class Token: Sendable {
    let run: PostRun
    init(_ run: PostRun) { self.run = run }
    deinit {
      run.letGoAt.store(run.clock.nanoseconds(), ordering: .releasing)
      run.parker.unpark()
    }
  }

  private let clock: HarnessClock
  private let ledger: Ledger
  private let parker = Parker()
  private let completions = Atomic<Int>(0)
  private let completedAt = Atomic<UInt64>(0)
  /// 0: it has not been.
  private let letGoAt = Atomic<UInt64>(0)
  private let firstResult = Mutex<Result<Publication, any Error>?>(nil)

  init(clock: HarnessClock, ledger: Ledger) {
    self.clock = clock
    self.ledger = ledger
  }

  /// The completion to give to the contender; to be asked for once.
  func makeCompletion() -> Completion {
    let token = Token(self)
    return { result in token.run.complete(result) }
  }

  /// How often the completion was called.
  var completionCount: Int { completions.load(ordering: .acquiring) }

  /// What the first call of the completion said, and when it came on the clock.
  var ending: (result: Result<Publication, any Error>, nanoseconds: UInt64)? {
    firstResult.withLock { $0 }.map { ($0, completedAt.load(ordering: .acquiring)) }
  }

  /// Waits for the first call; false if the moment came first.
  func waitForCompletion(untilNanoseconds deadline: UInt64) -> Bool {
    // Not the count: that is raised before the result is there.
    wait(untilNanoseconds: deadline) { ending != nil }
  }

  /// When the contender let go of the completion, on the clock; nil if it has not.
  var letGoNanoseconds: UInt64? {
    let moment = letGoAt.load(ordering: .acquiring)
    return moment == 0 ? nil : moment
  }

  /// Waits until the contender has let go of the completion; false if the moment came first.
  func waitUntilLetGo(untilNanoseconds deadline: UInt64) -> Bool {
    wait(untilNanoseconds: deadline) { letGoNanoseconds != nil }
  }

  private func wait(untilNanoseconds deadline: UInt64, _ condition: () -> Bool) -> Bool {
    while !condition() {
      // One last look: what woke the thread and the deadline may coincide.
      if !clock.park(parker, deadline) { return condition() }
    }
    return true
  }

  private func complete(_ result: Result<Publication, any Error>) {
    let now = clock.nanoseconds()
    guard completions.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    ledger.close()
    completedAt.store(now, ordering: .releasing)
    firstResult.withLock { $0 = result }
    parker.unpark()
  }
}
