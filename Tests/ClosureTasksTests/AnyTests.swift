import ClosureTasks
import TestSupport
import RuntimeSupport
import Testing

@Suite(.ownThread) struct AnyTests {
  @Test func `the first value wins, failures do not, and the others are cancelled`() {
    let manual = Manual()
    let outcome = Outcome(ClosureTask.any((0..<3).map { manual.task($0) }))
    manual.fail(0)
    #expect(outcome.all.isEmpty)
    manual.finish(2)
    #expect(outcome.value == 2)
    #expect(manual.cancelled.entries == [1])
  }

  @Test func `all failures come in the order of the tasks`() {
    let manual = Manual()
    let outcome = Outcome(ClosureTask.any((0..<3).map { manual.task($0) }))
    for index in [2, 0, 1] { manual.fail(index) }
    guard case .failure(ClosureTaskError.allFailed(let errors)) = outcome.all.first else {
      Issue.record("\(outcome.all)")
      return
    }
    #expect(errors.map { ($0 as? Failure)?.code } == [0, 1, 2])
    #expect(Outcome(ClosureTask<Int>.any([])).failure == "allFailed([])")
  }

  @Test func `a task that succeeds at once lets none begin after it`() {
    let manual = Manual()
    let outcome = Outcome(ClosureTask.any([ClosureTask { $0.finish(with: 7) }, manual.task(0)]))
    #expect(outcome.value == 7 && manual.started.entries.isEmpty)
  }

  @Test func `a race ends with the first outcome, be it a failure`() {
    let manual = Manual()
    let outcome = Outcome(ClosureTask.race((0..<3).map { manual.task($0) }))
    manual.fail(1)
    #expect(outcome.failure == "\(Failure(code: 1))")
    #expect(manual.cancelled.entries == [0, 2])
  }

  @Test func `cancelling reaches every racer, and removes the timer of a delayed one`() {
    let source = ManualTimerSource()
    let manual = Manual()
    let outcome = TimerSource.$current.withValue(source) {
      Outcome(ClosureTask.any([manual.task(0), manual.task(1).delay(for: .seconds(3600))]))
    }
    #expect(source.pendingCount == 1)
    outcome.run.cancel()
    #expect(outcome.failure == "CancellationError()" && manual.cancelled.entries == [0])
    #expect(source.pendingCount == 0)
  }
}
