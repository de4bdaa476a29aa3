import Coroutines
import Dispatch
import Synchronization
import TestSupport
import Testing

@Suite(.ownThread) struct CoContinuationTests {
  private struct Failure: Error, Equatable {}

  @Test func `the first resumption counts`() async throws {
    let value = try await Coroutine.start {
      try Coroutine.withContinuation(of: Int.self) { continuation in
        continuation.resume(returning: 1)
        continuation.resume(returning: 2)
        continuation.resume(throwing: Failure())
      }
    }.value
    #expect(value == 1)
  }

  @Test func `a resumption on another thread ends the wait`() async throws {
    let sum = try await Coroutine.start {
      try (1...100).reduce(0) { sum, number in
        try sum
          + Coroutine.withContinuation(of: Int.self) { continuation in
            DispatchQueue.global().async { continuation.resume(returning: number) }
          }
      }
    }.value
    #expect(sum == 5050)
  }

  @Test func `an error is thrown where it is awaited`() async {
    await #expect(throws: Failure()) {
      try await Coroutine.start {
        try Coroutine.withContinuation(of: Void.self) { $0.resume(throwing: Failure()) }
      }.value
    }
  }

  @Test func `a dropped continuation is an error not a hang`() async {
    await #expect(throws: CoroutineError.dropped) {
      try await Coroutine.start { try Coroutine.withContinuation(of: Int.self) { _ in } }.value
    }
  }

  @Test func `cancelling stops the work and still takes its result`() async throws {
    let kept = Mutex<CoContinuation<Int>?>(nil)
    let coroutine = Coroutine.start {
      try Coroutine.withContinuation(cancel: { (number: Int) in #expect(number == 7) }) { continuation in
        kept.withLock { $0 = continuation }
        return 7
      }
    }
    coroutine.cancel()
    #expect(!coroutine.isResolved)
    kept.withLock { $0 }?.resume(returning: 3)
    #expect(try await coroutine.value == 3)
  }
}
