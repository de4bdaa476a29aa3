import CContextSwitch
import Coroutines
import Dispatch
import TestSupport
import Testing

/// One wait ends once, whatever resumes it, however often and whenever.
@Suite(.ownThread) struct ResumptionTests {
  /// Two threads resume the same wait, while its coroutine is still on its way out.
  @Test func `resumed twice at once while it suspends`() {
    let rounds = 2_000
    let sum = Counter()
    let ended = DispatchSemaphore(value: 0)
    let posted = Guarded<CoContinuation<Int>?>(nil)
    Coroutine.start {
      for _ in 0..<rounds {
        let value = try Coroutine.withContinuation(of: Int.self) { continuation in
          posted.withLock { $0 = continuation }
        }
        sum.add(value)
      }
      ended.signal()
    }
    onThreads(2) { _ in
      while sum.current < rounds { posted.withLock { $0 }?.resume(returning: 1) }
    }
    ended.wait()
    #expect(sum.current == rounds)
  }

  /// The next wait has the same address as the old continuation's.
  @Test func `an old continuation ends no later wait`() async throws {
    let old = Guarded<[CoContinuation<Int>]>([])
    let value = try await Coroutine.start {
      for round in 0..<100 {
        _ = try Coroutine.withContinuation(of: Int.self) { continuation in
          old.withLock { $0.append(continuation) }
          continuation.resume(returning: round)
        }
      }
      return try Coroutine.withContinuation(of: Int.self) { continuation in
        for late in old.withLock({ $0 }) { late.resume(returning: -1) }
        DispatchQueue.global().async { continuation.resume(returning: 7) }
      }
    }.value
    #expect(value == 7)
  }

  /// Another coroutine has the stack by then.
  @Test func `an old continuation ends no wait of another coroutine`() async throws {
    let old = Guarded<[CoContinuation<Int>]>([])
    for _ in 0..<100 {
      _ = try await Coroutine.start {
        try Coroutine.withContinuation(of: Int.self) { continuation in
          old.withLock { $0.append(continuation) }
          continuation.resume(returning: 1)
        }
      }.value
    }
    let promises = (0..<100).map { _ in CoPromise<Int>() }
    let waiting = promises.map { promise in Coroutine.start { try promise.await() } }
    for late in old.withLock({ $0 }) { late.resume(returning: -1) }
    for (number, promise) in promises.enumerated() { promise.success(number) }
    for (number, future) in waiting.enumerated() { #expect(try await future.value == number) }
  }

  @Test func `many are started and dropped`() {
    let count = context_is_sanitized ? 20_000 : Effort.count(200_000, thorough: 1_000_000)
    let alive = Counter()
    let ran = Counter()
    let half = CoPromise<Void>()
    for number in 0..<count {
      let witness = Witness(alive)
      _ = Coroutine.start {
        ran.add()
        // One in a hundred suspends first; the others end at once.
        if number.isMultiple(of: 100) { try half.await() }
        withExtendedLifetime(witness) {}
      }
    }
    #expect(ran.current == count)
    #expect(alive.current == count / 100)
    half.success(())
    #expect(alive.current == 0)
  }
}
