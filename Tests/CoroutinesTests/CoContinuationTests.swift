import Coroutines
import TestSupport
import Testing

@Suite(.ownThread) struct CoContinuationTests {
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
}
