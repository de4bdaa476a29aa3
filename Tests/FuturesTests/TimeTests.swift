import Futures
import TestSupport
import Testing

@Suite(.ownThread) struct TimeTests {
  @Test func `a timeout fails and cancels a slow future, and leaves a fast one alone`() {
    let slow = Promise<Int>()
    #expect(throws: FutureError.timedOut) { try slow.future.timeout(after: .milliseconds(1)).wait() }
    #expect(slow.isCancelled)
    let quick = Promise<Int>()
    let future = quick.future.timeout(after: .seconds(3600))
    quick.succeed(1)
    #expect(try! future.wait() == 1)
  }

  @Test(arguments: [(1, 3), (3, 3), (4, 4)])
  func `retry ends with the first value or the last error`(succeedsAt: Int, attempts: Int) {
    let count = Counter()
    let start: @Sendable () -> Future<Int> = {
      let number = count.add()
      return number == succeedsAt ? Future(value: number) : Future(error: Failure(code: number))
    }
    let retried = Future.retry(attempts: attempts, delay: { _ in .microseconds(10) }, start)
    #expect(try! retried.wait() == succeedsAt)
    #expect(throws: Failure(code: succeedsAt + 2)) { try Future.retry(attempts: 2, start).wait() }
  }

  @Test func `retry stops at an error that is not to be retried`() {
    let count = Counter()
    let future = Future<Int>.retry(attempts: 5, if: { _ in false }) {
      count.add()
      throw Failure(code: 8)
    }
    #expect(throws: Failure(code: 8)) { try future.wait() }
    #expect(count.current == 1)
  }

  @Test func `retries without a wait run in constant stack`() {
    let future = Future<Int>.retry(attempts: 50_000) { throw Failure() }
    #expect(throws: Failure()) { try future.wait() }
  }

  @Test func `async code waits for a future`() async throws {
    let promise = Promise<Int>()
    async let value = promise.future.value
    promise.succeed(5)
    #expect(try await value == 5)
  }

  @Test func `cancelling a task that waits cancels the future`() async throws {
    let promise = Promise<Int>()
    let task = Task { try await promise.future.value }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(promise.isCancelled)
  }
}
