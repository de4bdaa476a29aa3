import ClosureTasks
import Dispatch
import TestSupport
import RuntimeSupport
import Testing

/// Parts that are being started while the whole ends.
@Suite(.ownThread) struct StepTests {
  /// Starts the next task of a chain: signals when it begins, and waits to go on.
  private struct Start: Sendable {
    let begun = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)
    let log = Log<String>()

    func task() -> ClosureTask<Int> {
      ClosureTask { controller in
        begun.signal()
        goOn.wait()
        log.append("started")
        controller.onCancel { log.append("cancelled") }
      }
    }
  }

  @Test(arguments: ["cancel", "failure", "timeout"])
  func `an end is delivered when the starting part has started, and is cancelled`(_ end: String) {
    let start = Start()
    let manual = Manual()
    let source = ManualTimerSource()
    let run = TimerSource.$current.withValue(source) {
      ClosureTask.group([manual.task(0).then { _ in start.task() }, manual.task(1)])
        .timeout(after: .seconds(1))
        .perform(on: nil) { _ in start.log.append("ended") }
    }
    DispatchQueue.global().async { manual.finish(0) }
    start.begun.wait()
    switch end {
    case "cancel": run.cancel()
    case "failure": manual.fail(1)
    default: source.advance(by: .seconds(1))
    }
    #expect(start.log.entries.isEmpty)
    start.goOn.signal()
    #expect(start.log.wait(for: 3) == ["started", "cancelled", "ended"])
  }

  @Test func `a chain that is cancelled by its own step calls back after the step`() {
    let log = Log<String>()
    let run = Guarded<TaskRun?>(nil)
    let manual = Manual()
    let chain = manual.task(0).then { _ -> ClosureTask<Int> in
      run.withLock { $0 }?.cancel()
      log.append("step")
      return ClosureTask { _ in Issue.record("nothing begins after a cancellation") }
    }
    let started = chain.perform(on: nil) { _ in log.append("ended") }
    run.withLock { $0 = started }
    manual.finish(0)
    #expect(log.entries == ["step", "ended"])
  }
}
