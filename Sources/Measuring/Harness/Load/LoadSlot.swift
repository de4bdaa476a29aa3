import Synchronization
import UploadScenario

/// The place of one post in flight, with a ledger and a service of its own; used again for the next post.
///
/// Completions arrive on any thread. Everything else is for the generator's thread.
final class LoadSlot: Sendable {
  /// Lives as long as the completion does: its end says that the contender has let go of the completion.
  private final class Token: Sendable {
    let slot: LoadSlot
    let ended: EndedSlots
    init(_ slot: LoadSlot, _ ended: EndedSlots) {
      self.slot = slot
      self.ended = ended
    }
    deinit {
      slot.isLetGo.store(true, ordering: .releasing)
      // Nobody can call it any more: a post that was never answered is lost, and ends here.
      slot.end(in: ended)
    }
  }

  let index: Int
  let ledger: Ledger
  let service: any UploadService
  private let nanoseconds: @Sendable () -> UInt64
  private let completions = Atomic<Int>(0)
  private let completedAt = Atomic<UInt64>(0)
  private let hasEnded = Atomic<Bool>(false)
  private let isLetGo = Atomic<Bool>(false)
  private let firstResult = Mutex<Result<Publication, any Error>?>(nil)
  /// The slot that ended before this one, while both wait to be taken; −1: none.
  let nextEnded = Atomic<Int>(-1)

  init(
    index: Int, ledger: Ledger, service: any UploadService, nanoseconds: @escaping @Sendable () -> UInt64
  ) {
    self.index = index
    self.ledger = ledger
    self.service = service
    self.nanoseconds = nanoseconds
  }

  /// Forgets the last post. The completion to give to the contender says in `ended` when the post has ended.
  func open(_ ended: EndedSlots) -> Completion {
    ledger.open()
    completions.store(0, ordering: .relaxed)
    completedAt.store(0, ordering: .relaxed)
    isLetGo.store(false, ordering: .relaxed)
    firstResult.withLock { $0 = nil }
    hasEnded.store(false, ordering: .releasing)
    let token = Token(self, ended)
    return { result in token.slot.complete(result, token.ended) }
  }

  var completionCount: Int { completions.load(ordering: .acquiring) }

  /// What the first call of the completion said, and when it came; nil if nobody called it.
  var ending: (result: Result<Publication, any Error>, nanoseconds: UInt64)? {
    firstResult.withLock { $0 }.map { ($0, completedAt.load(ordering: .acquiring)) }
  }

  /// Whether nothing of the post is left: the contender has let go of the completion and the service has answered all.
  var isQuiet: Bool {
    isLetGo.load(ordering: .acquiring) && ledger.uploadsInFlight == 0 && ledger.chunksAlive == 0
  }

  /// What is left of a post that is not quiet.
  var remains: String {
    isLetGo.load(ordering: .acquiring)
      ? "\(ledger.uploadsInFlight) uploads are still in flight after the job ended"
      : "the completion is still held after the job ended"
  }

  private func complete(_ result: Result<Publication, any Error>, _ ended: EndedSlots) {
    let now = nanoseconds()
    guard completions.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    ledger.close()
    completedAt.store(now, ordering: .releasing)
    firstResult.withLock { $0 = result }
    end(in: ended)
  }

  private func end(in ended: EndedSlots) {
    if hasEnded.exchange(true, ordering: .acquiringAndReleasing) { return }
    ended.push(self)
  }
}
