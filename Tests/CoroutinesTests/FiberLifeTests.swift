import TestSupport
import Testing

@testable import Coroutines

@Suite(.ownThread) struct FiberLifeTests {
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
