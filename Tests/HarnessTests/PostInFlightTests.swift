import RawThreads
import Synchronization
import TestSupport
import Testing
import UploadScenario

@testable import Harness

@Suite(.ownThread) struct PostInFlightTests {
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

@Suite(.ownThread) struct BarrierTests {
  @Test func `a closed barrier holds a thread until it opens`() {
    let barrier = Barrier()
    barrier.close()
    let (arrived, passed) = (Parker(), Parker())
    let isThrough = Atomic<Bool>(false)
    withExtendedLifetime(isThrough) {
      _ = RawThread(name: "visitor") {
        arrived.unpark()
        barrier.pass()
        isThrough.store(true, ordering: .releasing)
        passed.unpark()
      }
      arrived.park()
      let wasThrough = isThrough.load(ordering: .acquiring)
      #expect(!wasThrough)
      barrier.open()
      passed.park()
      let isThroughNow = isThrough.load(ordering: .acquiring)
      #expect(isThroughNow)
    }
  }
}

@Suite(.ownThread) struct TimerLagTests {
  /// Its heart beats when it is told to; the first time by itself, unless it has none.
  private final class Heart: PartialContender {
    let name = "heart"
    let summary = "a heart"
    let patterns = [Pattern.blocking]
    let beat = Mutex<(@Sendable () -> Void)?>(nil)
    let isDead: Bool

    init(isDead: Bool = false) { self.isDead = isDead }

    private final class Handle: Cancellable {
      let heart: Heart
      init(_ heart: Heart) { self.heart = heart }
      func cancel() { heart.beat.withLock { $0 = nil } }
    }

    func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
      self.beat.withLock { $0 = beat }
      if !isDead { beat() }
      return Handle(self)
    }

    func beatOnce() {
      let beat = beat.withLock { $0 }
      beat?()
    }
  }

  private let clock = FakeClock().clock

  private func pass(_ milliseconds: UInt64) {
    _ = clock.park(Parker(), clock.nanoseconds() + milliseconds * 1_000_000)
  }

  /// The fake clock's own steps take some hundred nanoseconds.
  private func milliseconds(_ nanoseconds: UInt64?) -> UInt64? { nanoseconds.map { $0 / 1_000_000 } }

  @Test func `the longest wait beyond the interval counts`() {
    let heart = Heart()
    let (_, worst) = TimerLag.worst(of: heart, clock: clock) {
      for wait: UInt64 in [1, 5, 2] {
        pass(wait)
        heart.beatOnce()
      }
    }
    #expect(milliseconds(worst) == 4)
  }

  @Test func `a timer that never fires is late at the end`() {
    let (_, worst) = TimerLag.worst(of: Heart(), clock: clock) { pass(8) }
    #expect(milliseconds(worst) == 7)
  }

  @Test func `an idiom without a timer has no lag`() {
    let (value, worst) = TimerLag.worst(of: Heart(isDead: true), clock: clock) { 42 }
    #expect(value == 42)
    #expect(worst == nil)
  }
}
