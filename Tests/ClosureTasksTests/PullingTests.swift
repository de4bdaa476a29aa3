import ClosureTasks
import Dispatch
import TestSupport
import RuntimeSupport
import Testing

@Suite(.ownThread) struct PullingTests {
  private func numbers(to count: Int, _ pulled: Counter) -> @Sendable () throws -> Int? {
    {
      let number = pulled.add() - 1
      return number < count ? number : nil
    }
  }

  @Test(arguments: [(0, 1), (4, 3), (100, 1_000)])
  func `the values are in the order of the items`(buffer: Int, limit: Int) async throws {
    let outcome = Outcome(
      ClosureTask.group(
        pulling: numbers(to: 50, Counter()), on: .global(), buffer: buffer, limit: limit
      ) { number in
        ClosureTask(on: .global()) { number * 2 }
      })
    SpinWait.until { !outcome.all.isEmpty }
    #expect(outcome.value == (0..<50).map { $0 * 2 })
  }

  @Test func `cancelling stops pulling and what is in flight`() {
    let pulled = Counter()
    let manual = Manual()
    let outcome = Outcome(
      ClosureTask.group(pulling: numbers(to: 50, pulled), on: .global(), buffer: 2, limit: 2) {
        manual.task($0)
      })
    SpinWait.until { pulled.current == 4 && manual.started.entries.count == 2 }
    outcome.run.cancel()
    SpinWait.until { !outcome.all.isEmpty }
    #expect(outcome.failure == "CancellationError()")
    #expect(manual.cancelled.entries.sorted() == [0, 1] && pulled.current == 4)
  }

  @Test func `code on a queue is a task of what it returns or throws; cancelled before, it does not run`() {
    let queue = DispatchQueue(label: "suspended")
    #expect(Self.end(of: ClosureTask(on: queue) { 3 }) == "success(3)")
    #expect(
      Self.end(of: ClosureTask<Int>(on: queue) { throw Failure(code: 1) })
        == "\(Result<Int, any Error>.failure(Failure(code: 1)))")
    queue.suspend()
    let ran = Counter()
    let outcome = Outcome(ClosureTask(on: queue) { ran.add() })
    outcome.run.cancel()
    queue.resume()
    queue.sync {}
    #expect(outcome.failure == "CancellationError()" && ran.current == 0)
  }

  private static func end(of task: ClosureTask<Int>) -> String {
    let outcome = Outcome(task)
    SpinWait.until { !outcome.all.isEmpty }
    return "\(outcome.all[0])"
  }
}
