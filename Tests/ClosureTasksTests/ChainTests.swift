import ClosureTasks
import RuntimeTestSupport
import Testing

@Suite struct ChainTests {
  @Test func `then and map pass values on and errors by`() {
    let task = ClosureTask<Int> { $0.finish(with: 20) }
    #expect(
      Outcome(task.then { value in ClosureTask { $0.finish(with: "\(value + 1)") } }.map { $0 + "!" }).value
        == "21!")
    #expect(
      Outcome(task.map { _ -> Int in throw Failure(code: 2) }.then { _ in task }).failure
        == "Failure(code: 2)")
    #expect(
      Outcome(task.then { _ -> ClosureTask<Int> in throw Failure(code: 3) }).failure == "Failure(code: 3)")
    #expect(Outcome(ClosureTask<Int> { $0.fail(with: Failure()) }.recover { _ in task }).value == 20)
  }

  @Test(arguments: [false, true]) func `cancelling a chain cancels the part that runs`(isSecond: Bool) {
    let manual = Manual()
    let outcome = Outcome(manual.task(0).then { _ in manual.task(1) }.map { $0 })
    if isSecond { manual.finish(0) }
    outcome.run.cancel()
    #expect(manual.started.entries == (isSecond ? [0, 1] : [0]))
    #expect(manual.cancelled.entries == [isSecond ? 1 : 0])
    #expect(outcome.failure == "CancellationError()")
  }
}
