import ClosureTasks
import Dispatch
import TestSupport
import Testing

@Suite(.ownThread) struct EnsureTests {
  private let manual = Manual()
  private let log = Log<String>()

  @Test func `recover is not called for a cancellation, ensure is`() {
    let task = manual.task(1).recover { [log] error in
      log.append("recovered")
      throw error
    }
    Outcome(task.ensure { [log] in log.append("closed") }).run.cancel()
    #expect(log.entries == ["closed"])
  }

  @Test(arguments: ["value", "failure", "cancellation", "cancellation while it is cleaned up"])
  func `the completion waits for a cleanup that is a task, which a cancellation does not reach`(end: String) {
    let outcome = Outcome(manual.task(1).ensure(manual.task(2).map { _ in }).map { $0 + 1 })
    switch end {
    case "value", "cancellation while it is cleaned up": manual.finish(1)
    case "failure": manual.fail(1)
    default: outcome.run.cancel()
    }
    #expect(manual.started.entries == [1, 2] && outcome.all.isEmpty)
    if end == "cancellation while it is cleaned up" { outcome.run.cancel() }
    #expect(outcome.all.isEmpty)
    manual.finish(2)
    #expect(outcome.value == (end == "value" ? 2 : nil))
    #expect(
      outcome.failure
        == ["value": nil, "failure": "Failure(code: 1)"][end, default: "CancellationError()"])
    #expect(manual.cancelled.entries == (end == "cancellation" ? [1] : []))
  }

  @Test func `a failing cleanup replaces a value, not a failure`() {
    let fails = ClosureTask<Void> { _ in throw Failure(code: 9) }
    let outcomes = [1, 2].map { Outcome(manual.task($0).ensure(fails)) }
    manual.finish(1)
    manual.fail(2)
    #expect(outcomes.map(\.failure) == ["Failure(code: 9)", "Failure(code: 2)"])
    // A cleanup that releases its controller ends as abandoned.
    #expect(Outcome(ClosureTask { $0.finish(with: 1) }.ensure(ClosureTask { _ in })).failure == "abandoned")
  }

  @Test func `a run that was cancelled before it began skips the cleanup`() {
    let queue = DispatchQueue(label: "held")
    queue.suspend()
    let run = manual.task(1).ensure { [log] in log.append("closed") }.perform(on: queue) { _ in }
    run.cancel()
    queue.resume()
    queue.sync {}
    #expect(manual.started.entries == [] && log.entries == [])
  }

  @Test func `a failing group waits for the cleanup of its cancelled parts`() {
    let outcome = Outcome(
      ClosureTask.group([manual.task(1).ensure(manual.task(2).map { _ in }), manual.task(3)]))
    manual.fail(3)
    #expect(manual.cancelled.entries == [1] && manual.started.entries == [1, 3, 2] && outcome.all.isEmpty)
    manual.finish(2)
    #expect(outcome.failure == "Failure(code: 3)")
  }

  @Test func `a cancellation raced against the end cleans up once, then calls back once`() {
    let (wrong, rounds) = (Counter(), Effort.count(20_000, thorough: 100_000))
    for round in 0..<rounds {
      let (closed, ended) = (Counter(), DispatchSemaphore(value: 0))
      let run = ClosureTask<Int> { controller in
        DispatchQueue.global().async { controller.finish(with: 1) }
      }
      .ensure(
        ClosureTask { controller in
          closed.add()
          if round % 2 == 0 {
            DispatchQueue.global().async { controller.finish() }
          } else {
            controller.finish()
          }
        }
      )
      .perform(on: nil) { _ in
        if closed.current != 1 { wrong.add() }
        ended.signal()
      }
      run.cancel()
      ended.wait()
    }
    #expect(wrong.current == 0)
  }

  @Test(arguments: [nil, 1])
  func `results are in the order in which tasks ended, failures among them`(limit: Int?) {
    let outcome = Outcome(ClosureTask.inOrderOfCompletion((0..<3).map { manual.task($0) }, limit: limit))
    for index in limit == nil ? [2, 0, 1] : [0, 1, 2] {
      if index == 0 { manual.fail(index) } else { manual.finish(index) }
    }
    let values = outcome.value?.map { try? $0.get() }
    #expect(values == (limit == nil ? [2, nil, 1] : [nil, 1, 2]))
  }
}
