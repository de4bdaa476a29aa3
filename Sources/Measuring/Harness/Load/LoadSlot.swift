import Synchronization
import UploadScenario

/// The place of one post in flight, with a ledger and a service of its own; used again for the next post.
///
/// For the generator's thread, except for what the post tells its listener.
final class LoadSlot {
  let service: any UploadService
  let post: PostInFlight<EndedPosts.Place>
  /// When the post was due.
  var intended: UInt64 = 0
  /// What cancels it, for as long as it has not ended.
  var handle: (any Cancellable)?

  init(ledger: Ledger, service: any UploadService, clock: HarnessClock, place: EndedPosts.Place) {
    self.service = service
    post = PostInFlight(ledger: ledger, clock: clock, listener: place)
  }
}

/// Which slots' posts have ended, from many threads to the generator's: a stack that is taken as a whole (Treiber, 1986).
final class EndedPosts: Sendable {
  /// Where the post of one slot says that it has ended. One whose completion is let go of without having been called is
  /// lost, and ends then.
  struct Place: PostListener {
    let list: EndedPosts
    let slot: Int

    func postEnded() { list.push(slot) }

    func completionReleased(wasCalled: Bool) {
      if !wasCalled { list.push(slot) }
    }
  }

  private final class Link: Sendable {
    /// The slot that ended before this one; −1: none.
    let next = Atomic<Int>(-1)
  }

  /// The slot that ended last; −1: none.
  private let head = Atomic<Int>(-1)
  private let links: [Link]

  init(slotCount: Int) { links = (0..<slotCount).map { _ in Link() } }

  private func push(_ slot: Int) {
    var first = head.load(ordering: .relaxed)
    while true {
      links[slot].next.store(first, ordering: .relaxed)
      let attempt = head.weakCompareExchange(
        expected: first, desired: slot, successOrdering: .releasing, failureOrdering: .relaxed)
      if attempt.exchanged { return }
      first = attempt.original
    }
  }

  /// Takes out all of them.
  func drain(_ body: (Int) -> Void) {
    guard head.load(ordering: .relaxed) >= 0 else { return }
    var slot = head.exchange(-1, ordering: .acquiring)
    while slot >= 0 {
      let next = links[slot].next.load(ordering: .relaxed)
      body(slot)
      slot = next
    }
  }
}
