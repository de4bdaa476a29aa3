import Coroutines
import Dispatch
import TestSupport
import Testing

@Suite(.ownThread) struct CoroutineCancellationTests {
  /// Waits that the test ends.
  private final class Switchboard: Sendable {
    let continuations = Log<CoContinuation<Int>>()

    func wait() throws -> Int {
      try Coroutine.withContinuation { continuation in continuations.append(continuation) }
    }

    func answer(_ value: Int) {
      for continuation in continuations.entries { continuation.resume(returning: value) }
    }
  }

  @Test func `cancelling ends an await and a later answer is ignored`() async {
    let switchboard = Switchboard()
    let coroutine = Coroutine.start { try switchboard.wait() }
    coroutine.cancel()
    switchboard.answer(7)
    await #expect(throws: CancellationError.self) { try await coroutine.value }
  }

  @Test func `cancelling a task cancels the coroutine it awaits`() async {
    let switchboard = Switchboard()
    let task = Task { try await Coroutine.start { try switchboard.wait() }.value }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `cancelling ends the await of a future and leaves the future alone`() async throws {
    let promise = CoPromise<Int>()
    let waiting = Coroutine.start { try promise.await() }
    let other = Coroutine.start { try promise.await() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    promise.success(3)
    #expect(try await other.value == 3)
  }

  @Test func `stoppable work is stopped once and its result awaited`() async throws {
    let stops = Counter()
    let kept = Guarded<CoContinuation<Int>?>(nil)
    let coroutine = Coroutine.start {
      try Coroutine.withContinuation(
        of: Int.self, cancel: { (_: Void) in stops.add() },
        { continuation in kept.withLock { $0 = continuation } })
    }
    coroutine.cancel()
    coroutine.cancel()
    #expect(!coroutine.isResolved)
    #expect(stops.current == 1)
    kept.withLock { $0 }?.resume(returning: 5)
    #expect(try await coroutine.value == 5)
  }

  @Test func `shielded awaits go on and the next one throws`() async throws {
    let switchboard = Switchboard()
    let cleanedUp = Counter()
    let coroutine = Coroutine.start {
      cleanedUp.add(try Coroutine.shielded { try switchboard.wait() })
      return try switchboard.wait()
    }
    coroutine.cancel()
    switchboard.answer(9)
    await #expect(throws: CancellationError.self) { try await coroutine.value }
    #expect(cleanedUp.current == 9)
  }

  @Test func `a coroutine cancelled before its start never starts`() async {
    let ran = Counter()
    let queue = DispatchQueue(label: "paused", attributes: .initiallyInactive)
    let coroutine = Coroutine.start(on: queue) { ran.add() }
    coroutine.cancel()
    queue.activate()
    await #expect(throws: CancellationError.self) { try await coroutine.value }
    queue.sync {}
    #expect(ran.current == 0)
  }

  /// The cancel comes while the coroutine is leaving, has left, or was answered: each coroutine ends once, one way.
  @Test func `cancel and answer that race end each wait once`() async throws {
    let ends = Counter()
    let count = 5_000
    for _ in 0..<count {
      let coroutine = Coroutine.start { () throws -> Int in
        defer { ends.add() }
        return try Coroutine.withContinuation(of: Int.self) { continuation in
          DispatchQueue.global().async { continuation.resume(returning: 1) }
        }
      }
      coroutine.cancel()
      do { #expect(try await coroutine.value == 1) } catch { #expect(error is CancellationError) }
    }
    #expect(ends.current == count)
  }

  @Test func `a failed group does not cancel what its owner does next`() async throws {
    let value = try await Coroutine.start {
      #expect(throws: Failure.self) {
        try CoGroup.run { group in _ = try group.async { () throws -> Int in throw Failure() } }
      }
      return try Coroutine.withContinuation(of: Int.self) { continuation in
        DispatchQueue.global().async { continuation.resume(returning: 4) }
      }
    }.value
    #expect(value == 4)
  }
}
