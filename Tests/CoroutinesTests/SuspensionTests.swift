import Synchronization
import TestSupport
import Testing

@testable import Coroutines

@Suite(.ownThread) struct SuspensionTests {
  /// The result is written on its stack, which it would overwrite if it went on meanwhile.
  @Test func `a cancelled coroutine does not go on while a result is written`() async throws {
    let scheduler = SeededScheduler(seed: 1)
    let waiting = Mutex<Suspension?>(nil)
    let hasGoneOn = Counter()
    let coroutine = Coroutine.start(on: scheduler) {
      let suspension = try Suspension(staysForResult: true)
      waiting.withLock { $0 = suspension }
      let wasCancelled = suspension.park()
      hasGoneOn.add()
      return wasCancelled
    }
    scheduler.run()
    let found = waiting.withLock { $0 }
    let suspension = try #require(found)
    coroutine.cancel()
    // The coroutine is ready, and has not run yet.
    let claim = try #require(suspension.claim())
    scheduler.run()
    #expect(hasGoneOn.current == 0)
    suspension.finish(claim)
    scheduler.run()
    #expect(try await coroutine.value == false)
  }
}
