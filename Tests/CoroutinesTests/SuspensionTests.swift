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

  private final class Seen: @unchecked Sendable {
    // Invariant: one thread does all of it.
    var fiber: FiberPointer?
    var life: UInt64 = 0
    var next: [FiberPointer] = []
  }

  /// An element of a map has no future to tell whether it still runs: its fiber does, which other coroutines use by then.
  @Test func `a late cancellation of an element reaches nothing else`() async throws {
    let seen = Seen()
    let promise = CoPromise<Int>()
    Coroutine.start {
      try CoGroup.run { group in
        try group.map([1]) { _ in
          seen.fiber = .currentIfAny
          seen.life = FiberPointer.currentIfAny!.pointee.life
        }
      }
    }
    let later = (0..<3).map { _ in
      Coroutine.start {
        seen.next.append(.currentIfAny!)
        return try promise.await()
      }
    }
    let fiber = try #require(seen.fiber)
    #expect(seen.next.contains(fiber))
    fiber.cancel(life: seen.life)
    promise.success(4)
    for coroutine in later { #expect(try await coroutine.value == 4) }
  }
}
