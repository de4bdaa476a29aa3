import CContextSwitch
import Coroutines
import TestSupport
import Testing

/// Scopes within scopes, each in a coroutine of the one around it.
@Suite(.ownThread) struct DeepGroupTests {
  // A sanitizer keeps a quarter of a megabyte for each coroutine.
  private static let depth = context_is_sanitized ? 1_000 : 5_000

  @Sendable private static func descend(
    _ depth: Int, _ promise: CoPromise<Int>, on scheduler: (any CoroutineScheduler)?
  ) throws -> Int {
    if depth == 0 { return try promise.await() }
    return try CoGroup.run(on: scheduler) { group in
      let below = try group.async { try descend(depth - 1, promise, on: scheduler) }
      return try below.await() + 1
    }
  }

  enum End: CaseIterable { case value, cancellation, cancellationByACoroutine }

  @Test(arguments: End.allCases)
  func `what ends the innermost or all passes them in bounded stack`(end: End) async throws {
    let promise = CoPromise<Int>()
    let scheduler = SeededScheduler(seed: 1)
    let future = Coroutine.start(on: scheduler) { try Self.descend(Self.depth, promise, on: scheduler) }
    scheduler.run()
    if end == .cancellationByACoroutine { try await Coroutine.start { future.cancel() }.value }
    onSmallStack {
      if end == .value { promise.success(1) } else { future.cancel() }
      scheduler.run()
    }
    if end == .value {
      #expect(try await future.value == Self.depth + 1)
    } else {
      await #expect(throws: CancellationError.self) { try await future.value }
    }
  }
}
