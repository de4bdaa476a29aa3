import ClosureTasks
import Foundation
import RuntimeSupport
import TestSupport
import Testing

@Suite(.ownThread) struct ClosureTaskTests {
  @Test func `the first answer counts and later ones return false`() {
    let answers = Log<Bool>()
    let outcome = Outcome(
      ClosureTask<Int> { controller in
        answers.append(controller.finish(with: 1))
        answers.append(controller.finish(with: 2))
        answers.append(controller.fail(with: Failure()))
      })
    #expect(outcome.value == 1)
    #expect(answers.entries == [true, false, false])
    #expect(outcome.run.isEnded && !outcome.run.isCancelled)
  }

  @Test func `an error that the closure throws fails the run`() {
    #expect(Outcome(ClosureTask<Int> { _ in throw Failure(code: 4) }).failure == "Failure(code: 4)")
  }

  @Test func `performing twice does the work twice, independently`() {
    let count = Counter()
    let task = ClosureTask<Int> { $0.finish(with: count.add()) }
    #expect([Outcome(task), Outcome(task)].map(\.value) == [1, 2])
  }

  @Test func `cancelling calls the handlers, then the completion, once`() {
    let log = Log<String>()
    let run = ClosureTask<Int> { controller in
      controller.onCancel("first") { log.append($0) }
      controller.onCancel("second") { log.append($0) }
      controller.onCancel { controller.finish(with: 1) }
    }.perform(on: nil) { log.append("\($0)") }
    run.cancel()
    run.cancel()
    run.onCancel { log.append("late") }
    #expect(log.entries == ["first", "second", "failure(Swift.CancellationError())", "late"])
    #expect(run.isCancelled)
  }

  @Test func `a closure that has not begun when it is cancelled does not run`() {
    let queue = DispatchQueue(label: "held")
    let ran = Log<Int>()
    let ended = Log<Int>()
    queue.suspend()
    let run = ClosureTask<Void> { _ in ran.append(1) }.perform(on: queue) { _ in ended.append(1) }
    run.cancel()
    queue.resume()
    queue.sync {}
    #expect(ran.count == 0)
    #expect(ended.count == 1)
  }

  @Test func `a run that has ended is not cancelled and releases its handlers`() {
    let alive = Counter()
    let outcome: Outcome<Int>
    do {
      let witness = Witness(alive)
      outcome = Outcome(
        ClosureTask { controller in
          controller.onCancel { _ = witness }
          controller.finish(with: 1)
          controller.onCancel { _ = witness }
        })
      // The task's closure goes with the task.
    }
    outcome.run.cancel()
    #expect(!outcome.run.isCancelled)
    #expect(alive.current == 0)
  }

  @Test func `a controller that is released without an answer fails the run`() {
    let log = Log<String>()
    ClosureTask<Int> { _ in }.perform(on: nil) { log.append("\($0)") }
    #expect(log.entries == ["failure(ClosureTasks.ClosureTaskError.abandoned)"])
  }

  @Test func `ends and cancellations from many threads call the completion once`() {
    for _ in 0..<200 {
      let box = Guarded<TaskController<Int>?>(nil)
      let handled = Counter()
      let outcome = Outcome(ClosureTask<Int> { controller in box.withLock { $0 = controller } })
      let controller = box.withLock { $0.take() }!
      onThreads(3) { thread in
        switch thread {
        case 0: controller.finish(with: 1)
        case 1: outcome.run.cancel()
        default: for _ in 0..<5 { controller.onCancel { handled.add() } }
        }
      }
      #expect(outcome.all.count == 1)
      #expect(handled.current == (outcome.run.isCancelled ? 5 : 0))
    }
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
