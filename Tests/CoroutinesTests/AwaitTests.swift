import Coroutines
import Dispatch
import TestSupport
import Testing

/// Callbacks that a coroutine waits for.
@Suite(.ownThread) struct AwaitTests {
  private static func one(_ callback: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.global().async { callback(1) }
  }
  private static func two(_ callback: @escaping @Sendable (Int, String?) -> Void) {
    DispatchQueue.global().async { callback(2, "two") }
  }
  private static func three(_ callback: @escaping @Sendable (Int, String?, (any Error)?) -> Void) {
    DispatchQueue.global().async { callback(3, nil, Failure(code: 3)) }
  }
  @Test func `an argument comes back and several as a tuple`() async throws {
    let text = try await CoFuture {
      let first = try Coroutine.await { callback in Self.one(callback) }
      let (second, two) = try Coroutine.await { Self.two($0) }
      let (third, none, error) = try Coroutine.await { callback in
        // Several statements.
        let label = "three"
        if !label.isEmpty { Self.three(callback) }
      }
      return "\(first) \(second) \(two ?? "") \(third) \(none ?? "none") \((error as? Failure)?.code ?? 0)"
    }.value
    #expect(text == "1 2 two 3 none 3")
  }
}

/// Suspending functions outside of a coroutine.
@Suite(.ownThread) struct OutsideCoroutineTests {
  private static let calls: [@Sendable () throws -> Void] = [
    { _ = try CoPromise<Int>().await() },
    { _ = try CoPromise<Int>().await(timeout: .seconds(1)) },
    { _ = try Coroutine.await { (callback: @escaping @Sendable (Int) -> Void) in callback(1) } },
    { try Coroutine.withContinuation { $0.resume() } },
    { try Coroutine.withContinuation(cancel: { (_: Int) in }) { (continuation: CoContinuation<Void>) in 1 } },
    { try Coroutine.delay(.seconds(1)) },
    { try Coroutine.withTimeout(.seconds(1)) {} },
    { try Coroutine.checkCancellation() },
    { try DispatchQueue.global().await {} },
    { try CoChannel<Int>().awaitSend(1) },
    { _ = try CoChannel<Int>().awaitReceive() },
    {
      var elements = CoChannel<Int>().makeThrowingIterator()
      _ = try elements.next()
    },
    { try CoGroup.run { _ in } },
    { try CoGroup.any([{}, {}]) },
  ]

  @Test(arguments: calls.indices) func `it throws`(index: Int) {
    #expect(!Coroutine.isInsideCoroutine)
    #expect(throws: CoroutineError.calledOutsideCoroutine) { try Self.calls[index]() }
  }

  @Test func `a resolved future needs no coroutine`() throws { #expect(try CoFuture { 1 }.await() == 1) }

  @Test func `functions that cannot throw end the process with a message`() async throws {
    let results = [
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        Coroutine.yield()
      },
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        for _ in CoChannel<Int>() {}
      },
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        Coroutine.shielded {}
      },
    ]
    for result in results {
      #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("outside of a coroutine"))
    }
  }
}
