import Coroutines
import Foundation
import TestSupport
import Testing

@Suite(.ownThread) struct CoroutinePoolTaskTests {
  @Test func `a task that prefers the pool and its children run on its thread`() async {
    let pool = CoroutinePool(workers: 1)
    let threads = Log<pthread_t>()
    pool.scheduleTask { threads.append(pthread_self()) }
    await Task(executorPreference: pool) {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<1_000 {
          group.addTask {
            threads.append(pthread_self())
            await Task.yield()
            threads.append(pthread_self())
          }
        }
      }
    }.value
    #expect(threads.count == 2_001)
    #expect(Set(threads.entries).count == 1)
  }

  @Test func `tasks and coroutines take turns`() {
    let pool = CoroutinePool(workers: 1)
    let log = Log<String>()
    let gate = DispatchSemaphore(value: 0)
    pool.scheduleTask { gate.wait() }
    for number in 0..<3 {
      Task(executorPreference: pool) { log.append("task \(number)") }
      Coroutine.start(on: pool) { log.append("coroutine \(number)") }
    }
    gate.signal()
    pool.shutDown()
    #expect(log.entries == (0..<3).flatMap { ["task \($0)", "coroutine \($0)"] })
  }
}
