import Coroutines
import Synchronization
import TestSupport
import Testing

/// Coroutines and Swift tasks start and await each other.
@Suite(.ownThread) struct CoroutineAsyncTests {
  private struct Failure: Error, Equatable {}

  @Test func `a coroutine awaits an async operation`() async throws {
    let value = try await Coroutine.start {
      try Coroutine.awaitTask {
        await Task.yield()
        return 7
      } + 1
    }.value
    #expect(value == 8)
  }

  @Test func `the error of an async operation is thrown in the coroutine`() async {
    await #expect(throws: Failure()) {
      try await Coroutine.start {
        try Coroutine.awaitTask { () async throws -> Int in
          await Task.yield()
          throw Failure()
        }
      }.value
    }
  }

  @Test func `cancelling the coroutine cancels the task and waits for it`() async throws {
    let hasBegun = CoPromise<Int>()
    let wasCancelled = Atomic<Bool>(false)
    let coroutine = Coroutine.start {
      try Coroutine.awaitTask {
        hasBegun.success(1)
        while !Task.isCancelled { await Task.yield() }
        wasCancelled.store(true, ordering: .relaxed)
        return 3
      }
    }
    _ = try await hasBegun.value
    coroutine.cancel()
    #expect(try await coroutine.value == 3)
    let taskWasCancelled = wasCancelled.load(ordering: .relaxed)
    #expect(taskWasCancelled)
  }

  @Test func `cancelling a task cancels the coroutine it awaits`() async {
    let task = Task {
      try await Coroutine.start { try Coroutine.withContinuation(of: Int.self) { kept in Self.keep(kept) } }
        .value
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  private static let kept = Mutex<[CoContinuation<Int>]>([])
  private static func keep(_ continuation: CoContinuation<Int>) { kept.withLock { $0.append(continuation) } }

  @Test func `many tasks and coroutines await each other`() async throws {
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<500 {
        group.addTask {
          try await Coroutine.start {
            try Coroutine.awaitTask {
              try await Coroutine.start {
                Coroutine.yield()
                return number
              }.value
            }
          }.value
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == 499 * 500 / 2)
  }
}
