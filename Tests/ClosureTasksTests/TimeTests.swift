import ClosureTasks
import Foundation
import TestSupport
import Testing

@Suite(.ownThread) struct TimeTests {
  private func end<Output>(of task: ClosureTask<Output>) -> Result<Output, any Error> {
    let log = Log<Result<Output, any Error>>()
    task.perform(on: nil) { log.append($0) }
    return log.wait(for: 1)[0]
  }

  @Test func `a timeout fails and cancels a slow task, and leaves a fast one alone`() {
    let cancelled = DispatchSemaphore(value: 0)
    let slow = ClosureTask<Int> { controller in
      controller.onCancel { withExtendedLifetime(controller) { _ = cancelled.signal() } }
    }
    #expect(throws: ClosureTaskError.timedOut) { try end(of: slow.timeout(after: .milliseconds(1))).get() }
    cancelled.wait()
    #expect(Outcome(ClosureTask<Int> { $0.finish(with: 1) }.timeout(after: .seconds(3600))).value == 1)
  }

  @Test func `a cancelled timeout cancels what it limits`() {
    let manual = Manual()
    let outcome = Outcome(manual.task(0).timeout(after: .seconds(3600)))
    outcome.run.cancel()
    #expect(manual.cancelled.entries == [0])
    #expect(outcome.failure == "CancellationError()")
  }

  @Test func `a delayed task runs later, or never if it is cancelled before`() {
    let task = ClosureTask<Int> { $0.finish(with: 3) }
    #expect(try! end(of: task.delay(for: .milliseconds(1))).get() == 3)
    let outcome = Outcome(task.delay(for: .seconds(3600)))
    outcome.run.cancel()
    #expect(outcome.failure == "CancellationError()")
  }

  @Test(arguments: [(1, 3), (3, 3), (4, 4)])
  func `retry ends with the first value or the last error`(succeedsAt: Int, attempts: Int) {
    let count = Counter()
    let task = ClosureTask<Int> { controller in
      let number = count.add()
      if number == succeedsAt { controller.finish(with: number) } else { throw Failure(code: number) }
    }
    #expect(
      try! end(of: task.retry(attempts: attempts, delay: { _ in .microseconds(10) })).get()
        == succeedsAt)
    #expect(Outcome(task.retry(attempts: 2)).failure == "Failure(code: \(succeedsAt + 2))")
    #expect(
      Outcome(task.retry(attempts: 9, if: { _ in false })).failure == "Failure(code: \(succeedsAt + 3))")
  }
}
