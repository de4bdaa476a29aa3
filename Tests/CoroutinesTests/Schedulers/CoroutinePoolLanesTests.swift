import Coroutines
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite(.ownThread) struct CoroutinePoolLanesTests {
  @Test func `the one worker takes urgent jobs first and background jobs last`() {
    let pool = CoroutinePool(workers: 1)
    let log = Log<String>()
    let gate = DispatchSemaphore(value: 0)
    pool.scheduleTask { gate.wait() }
    for number in 0..<4 {
      pool.background.scheduleTask { log.append("background \(number)") }
      pool.scheduleTask { log.append("pool \(number)") }
      pool.urgent.scheduleTask { log.append("urgent \(number)") }
    }
    gate.signal()
    pool.shutDown()
    #expect(
      log.entries == ["urgent", "pool", "background"].flatMap { lane in (0..<4).map { "\(lane) \($0)" } })
  }

  /// The worker's own queue comes after the urgent lane and before the background one.
  @Test func `a job that a worker schedules takes its lane`() {
    let pool = CoroutinePool(workers: 1)
    let log = Log<String>()
    pool.scheduleTask {
      pool.background.scheduleTask { log.append("background") }
      pool.scheduleTask { log.append("pool") }
      pool.urgent.scheduleTask { log.append("urgent") }
    }
    pool.shutDown()
    #expect(log.entries == ["urgent", "pool", "background"])
  }

  @Test func `a coroutine goes on in its lane`() async throws {
    let pool = CoroutinePool(workers: 1)
    let log = Log<String>()
    let promise = CoPromise<Void>()
    let gate = DispatchSemaphore(value: 0)
    let urgent = Coroutine.start(on: pool.urgent) {
      try promise.await()
      log.append("urgent")
    }
    let background = Coroutine.start(on: pool.background) {
      try promise.await()
      log.append("background")
    }
    // When this runs, both wait.
    try await Coroutine.start(on: pool.background) {}.value
    pool.scheduleTask { gate.wait() }
    for _ in 0..<3 { pool.scheduleTask { log.append("pool") } }
    promise.success(())
    gate.signal()
    try await urgent.value
    try await background.value
    pool.shutDown()
    #expect(log.entries == ["urgent", "pool", "pool", "pool", "background"])
  }

  /// One lane never empties; the others have their turn.
  @Test(arguments: [0, 1, 2]) func `no lane starves`(busy: Int) async throws {
    let pool = CoroutinePool(workers: 1)
    let lanes: [any CoroutineScheduler] = [pool.urgent, pool, pool.background]
    let served = Log<Int>()
    let spinner = Coroutine.start(on: lanes[busy]) {
      while served.count < lanes.count { Coroutine.yield() }
    }
    for (number, lane) in lanes.enumerated() { lane.scheduleTask { served.append(number) } }
    try await spinner.value
    pool.shutDown()
    #expect(served.entries.sorted() == [0, 1, 2])
  }

  /// The next job comes just when the only worker has found nothing and goes to sleep.
  @Test func `a job that meets a worker on its way to sleep runs`() {
    let pool = CoroutinePool(workers: 1)
    let lanes: [any CoroutineScheduler] = [pool, pool.urgent, pool.background]
    let done = Counter()
    for round in 1...20_000 {
      lanes[round % 3].scheduleTask { done.add() }
      while done.current < round { sched_yield() }
      // Each round meets it a little later on its way.
      for _ in 0..<round % 100 { _ = done.current }
    }
    pool.shutDown()
    #expect(done.current == 20_000)
  }

  @Test func `a lane keeps its pool alive, and jobs after the shutdown run`() async throws {
    let lane: any CoroutineScheduler = CoroutinePool(workers: 1).background
    #expect(try await Coroutine.start(on: lane) { 5 }.value == 5)
    let pool = CoroutinePool(workers: 1)
    let urgent = pool.urgent
    pool.shutDown()
    #expect(try await Coroutine.start(on: urgent) { 6 }.value == 6)
  }
}
