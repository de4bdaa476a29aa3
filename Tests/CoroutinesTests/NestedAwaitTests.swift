import Coroutines
import Dispatch
import TestSupport
import Testing

/// The closure that starts a wait does not wait itself: its coroutine has one wait at a time.
@Suite(.ownThread) struct NestedAwaitTests {
  @Test func `a wait inside the start of another ends the process with a message`() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try await Coroutine.start {
        try Coroutine.withContinuation(of: Int.self) { outer in
          _ = try? Coroutine.withContinuation(of: Int.self) { inner in
            DispatchQueue.global().async { inner.resume(returning: 1) }
          }
          outer.resume(returning: 2)
        }
      }.value
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("a coroutine waits inside the closure that starts another wait"))
  }

  @Test func `a resolved future needs no wait`() async throws {
    let ready = Coroutine.start { 3 }
    let value = try await Coroutine.start {
      try Coroutine.withContinuation(of: Int.self) { $0.resume(with: Result { try ready.await() }) }
    }.value
    #expect(value == 3)
  }

  /// The wait is over then; the next one is a wait of its own.
  @Test(arguments: [true, false])
  func `after its result the closure may wait`(isCancelled: Bool) async throws {
    let promise = CoPromise<Int>()
    let future = Coroutine.start {
      try Coroutine.withContinuation(of: Int.self, cancel: { (_: Int) in }) { continuation in
        continuation.resume(returning: 3)
        return (try? promise.await()) ?? 0
      }
    }
    if isCancelled { future.cancel() } else { promise.success(1) }
    #expect(try await future.value == 3)
  }

  @Test func `the closure may start a coroutine that waits`() async throws {
    let promise = CoPromise<Int>()
    let future = Coroutine.start {
      try Coroutine.withContinuation(of: Int.self) { continuation in
        Coroutine.start { continuation.resume(with: Result { try promise.await() }) }
      }
    }
    promise.success(5)
    #expect(try await future.value == 5)
  }

  @Test func `the closure may yield`() async throws {
    let scheduler = SeededScheduler(seed: 1)
    let future = Coroutine.start(on: scheduler) {
      try Coroutine.withContinuation(of: Int.self) { continuation in
        Coroutine.yield()
        continuation.resume(returning: 5)
        Coroutine.yield()
      }
    }
    scheduler.run()
    #expect(try await future.value == 5)
  }
}
