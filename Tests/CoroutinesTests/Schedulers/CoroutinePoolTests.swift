import Coroutines
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite(.ownThread) struct CoroutinePoolTests {
  @Test(arguments: [1, 2, 4]) func `every job runs once, from any thread`(workers: Int) {
    let pool = CoroutinePool(workers: workers)
    let log = Log<Int>()
    @Sendable func count(_ number: Int) { log.append(number) }
    let lanes: [any CoroutineScheduler] = [pool, pool.urgent, pool.background]
    DispatchQueue.concurrentPerform(iterations: 100) { number in
      lanes[number % 3].scheduleTask {
        count(number)
        // From a worker's own thread, and more at once than its ring holds.
        if number % 50 == 0 {
          for inner in 0..<400 {
            lanes[number == 0 ? 0 : inner % 3].scheduleTask { count(1000 * (number + 1) + inner) }
          }
        }
      }
    }
    pool.shutDown()
    let expected = Array(0..<100) + Array(1_000..<1_400) + Array(51_000..<51_400)
    #expect(log.entries.sorted() == expected.sorted())
  }

  /// Each round begins when all workers may be asleep: after one lost wake-up this never ends.
  @Test func `no wake up is lost`() async throws {
    let pool = CoroutinePool(workers: 3)
    let rounds = 3_000
    let future = Coroutine.start(on: pool) {
      var sum = 0
      for number in 0..<rounds {
        let numbers: [Int] = try CoGroup.run(on: pool) { group in
          try group.map([number, 1]) { number -> Int in
            number % 2 == 0 ? try DispatchQueue.global().await { number } : number
          }
        }
        sum += numbers.reduce(0, +)
      }
      return sum
    }
    #expect(try await future.value == rounds * (rounds - 1) / 2 + rounds)
    pool.shutDown()
  }

  @Test func `shutting down waits for scheduled jobs and those that they schedule`() {
    let pool = CoroutinePool(workers: 2)
    let ran = Counter()
    let gate = DispatchSemaphore(value: 0)
    @Sendable func descend(_ depth: Int) {
      ran.add()
      if depth > 0 { pool.scheduleTask { descend(depth - 1) } }
    }
    pool.scheduleTask {
      gate.wait()
      descend(100)
    }
    for _ in 0..<50 { pool.scheduleTask { ran.add() } }
    gate.signal()
    pool.shutDown()
    #expect(ran.current == 151)
  }

  @Test func `a coroutine that is ready after the shut down is not lost`() async throws {
    let pool = CoroutinePool(workers: 1)
    let promise = CoPromise<Int>()
    let begun = DispatchSemaphore(value: 0)
    let coroutine = Coroutine.start(on: pool) {
      begun.signal()
      return try promise.await()
    }
    #expect(begun.wait(timeout: .now() + 10) == .success)
    pool.shutDown()
    promise.success(5)
    #expect(try await coroutine.value == 5)
  }

  @Test func `its threads carry its name`() async throws {
    let pool = CoroutinePool(workers: 1, name: "crew")
    #expect(try await Coroutine.start(on: pool) { Thread.current.name }.value == "crew-0")
    pool.shutDown()
  }

  /// The threads keep a pool's workers alive, not the pool the threads.
  @Test func `a released pool ends its threads`() async throws {
    weak let released: CoroutinePool?
    let ran = Counter()
    do {
      let pool = CoroutinePool(workers: 2)
      released = pool
      _ = try await Coroutine.start(on: pool) { ran.add() }.value
    }
    #expect(ran.current == 1)
    // The coroutine's fiber releases its scheduler just after the answer.
    while released != nil { await Task.yield() }
  }
}
