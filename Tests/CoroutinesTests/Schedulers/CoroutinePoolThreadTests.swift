import Coroutines
import Dispatch
import Foundation
import OptimizedCoroutineUse
import TestSupport
import Testing

/// A pool's coroutine stays on its thread, so what the compiler keeps of the thread stays right.
@Suite(.ownThread) struct CoroutinePoolThreadTests {
  @Test func `a mutex is locked before and after a suspension`() async throws {
    let (pool, shared, rounds) = (CoroutinePool(workers: 2), SharedMutex(), 100_000)
    let coroutines = (0..<4).map { index in Coroutine.start(on: pool) { shared.count(to: rounds, index) } }
    let resumed = (0..<4).map { index in
      Coroutine.start(on: pool) {
        try shared.count(to: rounds / 100, index) { continuation in
          DispatchQueue.global().async { continuation.resume() }
        }
      }
    }
    for coroutine in coroutines + resumed { try await coroutine.value }
    #expect(shared.sum == 4 * rounds + 4 * rounds / 100)
    pool.shutDown()
  }

  enum Place: CaseIterable { case pool, urgent, background }

  @Test(arguments: Place.allCases)
  func `every suspension comes back to the thread`(place: Place) async throws {
    let pool = CoroutinePool(workers: 3)
    let scheduler: any CoroutineScheduler =
      switch place {
      case .pool: pool
      case .urgent: pool.urgent
      case .background: pool.background
      }
    let away = DispatchQueue(label: "away")
    let coroutines = (0..<30).map { index in
      Coroutine.start(on: scheduler) {
        var threads: Set<UInt> = []
        for round in 0..<50 {
          threads.insert(currentThread())
          switch (index + round) % 4 {
          case 0: Coroutine.yield()
          case 1:
            try Coroutine.withContinuation { (continuation: CoContinuation<Void>) in
              away.async { continuation.resume() }
            }
          case 2: _ = try Coroutine.start(on: pool) { currentThread() }.await()
          default:
            Coroutine.move(to: away)
            Coroutine.move(to: scheduler)
          }
        }
        return threads.count
      }
    }
    for coroutine in coroutines { #expect(try await coroutine.value == 1) }
    pool.shutDown()
  }

  /// A busy worker keeps no new work.
  @Test func `new work runs on an idle thread`() async throws {
    let pool = CoroutinePool(workers: 2)
    let coroutine = Coroutine.start(on: pool) {
      let ran = DispatchSemaphore(value: 0)
      Coroutine.start(on: pool) { ran.signal() }
      return ran.wait(timeout: .now() + 60) == .success
    }
    #expect(try await coroutine.value)
    pool.shutDown()
  }

  /// A thread alternates between running coroutines and new ones.
  @Test func `coroutines that yield without an end starve none that begins on their thread`() async throws {
    let pool = CoroutinePool(workers: 1)
    let done = Counter()
    let spinner = Coroutine.start(on: pool) {
      Coroutine.start(on: pool) { done.add() }
      while done.current == 0 { Coroutine.yield() }
    }
    try await spinner.value
    pool.shutDown()
  }

  /// It is made ready just when its worker has found nothing and goes to sleep.
  @Test func `a coroutine that meets its worker on its way to sleep goes on`() async throws {
    let pool = CoroutinePool(workers: 2)
    let next = Guarded<CoContinuation<Void>?>(nil)
    let rounds = 20_000
    let coroutine = Coroutine.start(on: pool) {
      for _ in 0..<rounds {
        try Coroutine.withContinuation { continuation in next.withLock { $0 = continuation } }
      }
    }
    for round in 0..<rounds {
      var continuation: CoContinuation<Void>?
      repeat {
        continuation = next.exchange(nil)
        if continuation == nil { sched_yield() }
      } while continuation == nil
      // Each round meets it a little later on its way.
      for _ in 0..<round % 500 { _ = coroutine.isResolved }
      continuation?.resume()
    }
    try await coroutine.value
    pool.shutDown()
  }

  /// While the pool shuts down, too, as long as one of its threads has something to do.
  @Test func `an idle thread stays until all are idle`() async throws {
    let pool = CoroutinePool(workers: 2)
    let (gate, begun, waiting) = (CoPromise<Void>(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let open = DispatchSemaphore(value: 0)
    Coroutine.start(on: pool) {
      begun.signal()
      open.wait()
      gate.success(())
    }
    begun.wait()
    // The other thread is the only one that can take it.
    let coroutine = Coroutine.start(on: pool) {
      let before = currentThread()
      waiting.signal()
      try gate.await()
      return before == currentThread()
    }
    waiting.wait()
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      pool.shutDown()
      ended.signal()
    }
    // The other thread would have had time to end.
    #expect(ended.wait(timeout: .now() + 0.1) == .timedOut)
    open.signal()
    ended.wait()
    #expect(try await coroutine.value)
  }
}

/// Not inlined: the compiler takes it for the same at every call.
@inline(never) private func currentThread() -> UInt {
  UInt(bitPattern: Unmanaged.passUnretained(Thread.current).toOpaque())
}
