import ClosureTasks
import TestSupport
import Testing

@Suite(.ownThread) struct ChainTests {
  @Test func `then and map transform values and pass errors on`() {
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

  static let steps = Effort.count(100_000, thorough: 1_000_000)

  /// A chain of so many steps, of every kind.
  private func chain(of steps: Int, from task: ClosureTask<Int>) -> ClosureTask<Int> {
    var task = task
    for step in 0..<steps {
      switch step % 4 {
      case 0: task = task.map { $0 + 1 }
      case 1: task = task.then { value in ClosureTask { $0.finish(with: value + 1) } }
      case 2: task = task.recover { _ in ClosureTask { $0.finish(with: -1) } }
      default: task = task.then { value in ClosureTask { $0.finish(with: value) }.map { $0 + 1 } }
      }
    }
    return task
  }

  @Test func `a long chain runs and is freed in constant stack`() {
    let outcome = Outcome(chain(of: Self.steps, from: ClosureTask { $0.finish(with: 0) }))
    #expect(outcome.value == Self.steps / 4 * 3)
  }

  @Test(arguments: ["value", "failure", "cancellation"])
  func `the end of the first part of a long chain ends all of it`(end: String) {
    let steps = Self.steps / 5
    let manual = Manual()
    let outcome = Outcome(
      end == "failure"
        ? (0..<steps).reduce(manual.task(3)) { task, _ in task.map { $0 + 1 } }
        : chain(of: steps, from: manual.task(0)))
    switch end {
    case "value": manual.finish(0)
    case "failure": manual.fail(3)
    default: outcome.run.cancel()
    }
    #expect(outcome.value == (end == "value" ? steps / 4 * 3 : nil))
    #expect(outcome.failure == ["failure": "Failure(code: 3)", "cancellation": "CancellationError()"][end])
    #expect(manual.cancelled.entries == (end == "cancellation" ? [0] : []))
  }

  @Test func `a loop runs in constant stack and memory`() {
    let alive = Counter()
    let peak = Guarded(0)
    @Sendable func loop(_ left: Int) -> ClosureTask<Int> {
      let witness = Witness(alive)
      peak.withLock { $0 = max($0, alive.current) }
      return ClosureTask<Int> { controller in
        withExtendedLifetime(witness) {}
        controller.finish(with: left)
      }
      .then { $0 == 0 ? ClosureTask { $0.finish(with: 42) } : loop($0 - 1) }
    }
    #expect(Outcome(loop(Effort.count(20_000, thorough: 100_000))).value == 42)
    #expect(alive.current == 0)
    #expect(peak.withLock { $0 } < 200)
  }

  @Test func `retries without a wait run in constant stack`() {
    let (count, attempts) = (Counter(), Effort.count(10_000, thorough: 50_000))
    let task = ClosureTask<Int> { controller in
      count.add()
      controller.fail(with: Failure())
    }
    #expect(Outcome(task.retry(attempts: attempts)).failure == "Failure(code: 1)")
    #expect(count.current == attempts)
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
