import Foundation
import TestSupport
import Testing

@testable import SwiftConcurrencyUploads

@Suite(.ownThread) struct InlineExecutorTests {
  private typealias Waiting = Guarded<[UnsafeContinuation<Void, Never>]>

  @Test func aTaskRunsWhereItIsStartedAndWhereItIsResumed() {
    let (waiting, threads) = (Waiting([]), Log<pthread_t>())
    Task(executorPreference: InlineExecutor.shared) {
      threads.append(pthread_self())
      await suspend(in: waiting)
      threads.append(pthread_self())
    }
    #expect(threads.entries.map(isThisThread) == [true])
    onThreads(1) { _ in
      resume(waiting.exchange([]))
      #expect(threads.entries.map(isThisThread) == [false, true])
    }
  }

  @Test func aTaskThatResumesAnotherIsNotInterrupted() {
    let (waiting, depth, depths) = (Waiting([]), Guarded(0), Log<Int>())
    for _ in 0..<10_000 {
      Task(executorPreference: InlineExecutor.shared) {
        await suspend(in: waiting)
        depths.append(
          depth.withLock {
            $0 += 1; return $0
          })
        waiting.withLock { $0.popLast() }?.resume()
        depth.withLock { $0 -= 1 }
      }
    }
    onSmallStack { waiting.withLock { $0.popLast() }?.resume() }
    #expect(depths.entries == Array(repeating: 1, count: 10_000))
  }

  @Test func aCancelledTaskGoesOnAfterAllOfItsHandlers() {
    let log = Log<String>()
    let (stream, input) = AsyncStream<Never>.makeStream()
    let task = Task(executorPreference: InlineExecutor.shared) {
      await withTaskCancellationHandler {
        for await _ in stream {}
        log.append("went on")
      } onCancel: {
        log.append("was told")
      }
    }
    TaskHandle(task: task, executor: InlineExecutor.shared).cancel()
    #expect(log.entries == ["was told", "went on"])
    withExtendedLifetime(input) {}
  }

  private func suspend(in waiting: Waiting) async {
    await withUnsafeContinuation { continuation in waiting.withLock { $0.append(continuation) } }
  }
}

private func resume(_ continuations: [UnsafeContinuation<Void, Never>]) {
  for continuation in continuations { continuation.resume() }
}

private func isThisThread(_ thread: pthread_t) -> Bool { pthread_equal(thread, pthread_self()) != 0 }
