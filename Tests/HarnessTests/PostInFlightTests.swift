import RawThreads
import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct PostInFlightTests {
  @Test func `a completion is released when its last holder is gone`() {
    let clock = FakeClock().clock
    let run = PostInFlight(
      ledger: Ledger(requestCount: 0, nanoseconds: clock.nanoseconds), clock: clock, listener: Parker())
    var holder: Completion? = run.open()
    holder?(.failure(CancellationError()))
    #expect(run.letGoNanoseconds == nil)
    let before = clock.nanoseconds()
    holder = nil
    #expect(run.letGoNanoseconds ?? 0 > before)
    #expect(run.ending?.nanoseconds ?? .max < before)
  }

  /// Whoever waits for the ends of many posts is told of each once: when its completion is called, or can be called no more.
  @Test(arguments: [0, 1, 2])
  func `a post ends once, however often its completion is called`(calls: Int) {
    let clock = FakeClock().clock
    let ended = EndedPosts(slotCount: 1)
    let post = PostInFlight(
      ledger: Ledger(requestCount: 0, nanoseconds: clock.nanoseconds), clock: clock,
      listener: EndedPosts.Place(list: ended, slot: 0))
    for _ in 0..<3 {
      var holder: Completion? = post.open()
      for _ in 0..<calls { holder?(.failure(CancellationError())) }
      var slots: [Int] = []
      ended.drain { slots.append($0) }
      #expect(slots.count == min(calls, 1))
      #expect(!post.isQuiet)
      holder = nil
      ended.drain { slots.append($0) }
      #expect(slots == [0])
      #expect(post.isQuiet)
      #expect(post.completionCount == calls)
    }
  }
}
