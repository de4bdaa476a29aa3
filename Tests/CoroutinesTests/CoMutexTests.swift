import Coroutines
import Dispatch
import OptimizedCoroutineUse
import TestSupport
import Testing

@Suite(.ownThread) struct CoMutexTests {
  @Test func coroutinesThatChangeThreadsLockItBeforeAndAfterASuspension() async throws {
    let (shared, rounds) = (SharedCoMutex(), 20_000)
    let coroutines = (0..<4).map { index in
      Coroutine.start(on: DispatchQueue.global()) { shared.count(to: rounds, index) }
    }
    for coroutine in coroutines { try await coroutine.value }
    #expect(shared.sum == 4 * rounds)
  }

  private final class Total: Sendable { let sum = CoMutex(0) }

  @Test func threadsAndCoroutinesExcludeEachOther() {
    let (total, rounds) = (Total(), 20_000)
    onThreads(4) { index in
      @Sendable func count() { for _ in 0..<rounds { total.sum.withLock { $0 += 1 } } }
      if index % 2 == 0 { count() } else { Coroutine.start { count() } }
    }
    #expect(total.sum.withLock { $0 } == 4 * rounds)
  }

  @Test func itsValueGoesWithIt() {
    let alive = Counter()
    do {
      let mutex = CoMutex(Witness(alive))
      mutex.withLock { $0 = Witness(alive) }
      #expect(alive.current == 1)
    }
    #expect(alive.current == 0)
  }

  @Test(arguments: [true, false]) func itIsUnlockedWhenTheBodyThrows(isCoroutine: Bool) throws {
    @Sendable func lock() -> Bool {
      let mutex = CoMutex(1)
      #expect(throws: Failure.self) { try mutex.withLock { _ in throw Failure() } }
      return mutex.withLock { $0 } == 1
    }
    if isCoroutine { Coroutine.start { #expect(lock()) } } else { #expect(lock()) }
  }

  @Test(arguments: [true, false]) func lockingItInsideItselfEndsTheProcessAndSaysSo(isCoroutine: Bool)
    async throws
  {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [isCoroutine] in
      @Sendable func lockTwice() {
        let mutex = CoMutex(0)
        mutex.withLock { _ in mutex.withLock { $0 += 1 } }
      }
      if isCoroutine { Coroutine.start { lockTwice() } } else { lockTwice() }
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("a CoMutex is locked inside of its own withLock"))
  }

  @Test func aSuspensionInsideEndsTheProcessAndSaysSo() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let mutex = CoMutex(0)
      try await Coroutine.start { mutex.withLock { _ in Coroutine.yield() } }.value
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("a coroutine suspends inside of CoMutex.withLock"))
  }
}
