import ClosureTasks
import RuntimeSupport
import TestSupport
import Testing

/// One run whose parts the test ends, and what its completion sees.
private final class ObservedRun: Observed {
  private let parts = Log<(controller: TaskController<Int>, cancellations: Counter)>()
  private let completions = Counter()
  private let run = Guarded<TaskRun?>(nil)
  private let time = ManualTimerSource()
  private let wrong: Log<String>
  private let name: String

  init(_ name: String, _ wrong: Log<String>) { (self.name, self.wrong) = (name, wrong) }

  var hasCompleted: Bool { completions.current > 0 }

  var part: ClosureTask<Int> {
    ClosureTask { controller in
      let cancellations = Counter()
      controller.onCancel { cancellations.add() }
      self.parts.append((controller, cancellations))
    }
  }

  func perform(_ task: ClosureTask<Int>) {
    inTime { _ = run.exchange(task.perform(on: nil) { self.observe($0) }) }
  }

  func cancel() { run.withLock { $0 }?.cancel() }

  /// Every third fails. Parts that start meanwhile are left open.
  func endParts(reversed: Bool) {
    let open = parts.entries.enumerated()
    inTime {
      for (index, part) in reversed ? open.reversed() : Array(open) {
        if index % 3 == 2 {
          part.controller.fail(with: Failure())
        } else {
          part.controller.finish(with: index)
        }
        if !part.controller.isEnded { wrong.append("\(name): a part that was ended goes on") }
      }
    }
  }

  func passTime() { inTime { _ = time.advanceToNext() } }

  func checkEnd() {
    if completions.current != 1 { wrong.append("\(name): \(completions.current) completions") }
  }

  private func inTime(_ body: () -> Void) { TimerSource.$current.withValue(time, operation: body) }

  private func observe(_ outcome: Result<Int, any Error>) {
    func expect(_ holds: Bool, _ what: String) { if !holds { wrong.append("\(name): \(what)") } }
    completions.add()
    guard let run = run.withLock({ $0 }) else { return wrong.append("\(name): it ended by itself") }
    expect(run.isEnded, "its run goes on")
    var isCancellation = false
    if case .failure(is CancellationError) = outcome { isCancellation = true }
    expect(run.isCancelled == isCancellation, "its run and its outcome disagree about a cancellation")
    for part in parts.entries {
      expect(part.controller.isEnded, "a part goes on")
      expect(
        part.cancellations.current == (part.controller.isCancelled ? 1 : 0), "wrong handler calls of a part"
      )
    }
    expect(time.pendingCount == 0, "a timer goes on")
  }
}

@Suite(.ownThread) struct AfterCompletionTests {
  private static let shapes: [(name: String, task: @Sendable (ObservedRun) -> ClosureTask<Int>)] = [
    ("alone", { $0.part }),
    ("map", { $0.part.map { $0 + 1 } }),
    ("then", { run in run.part.then { _ in run.part } }),
    ("recover", { run in ClosureTask.race([run.part, run.part, run.part]).recover { _ in run.part } }),
    ("ensure", { $0.part.ensure($0.part.map { _ in }) }),
    ("group", { ClosureTask.group([$0.part, $0.part, $0.part]).map(\.count) }),
    ("limited", { ClosureTask.group([$0.part, $0.part, $0.part], limit: 2).map(\.count) }),
    ("sequence", { ClosureTask.sequence([$0.part, $0.part]).map(\.count) }),
    ("in order", { ClosureTask.inOrderOfCompletion([$0.part, $0.part, $0.part]).map(\.count) }),
    ("any", { .any([$0.part, $0.part, $0.part]) }),
    ("race", { .race([$0.part, $0.part]) }),
    ("zip", { ClosureTask.zip($0.part, $0.part.map { "\($0)" }).map(\.0) }),
    ("delay", { $0.part.delay(for: .seconds(1)) }),
    ("timeout", { $0.part.timeout(after: .seconds(1)) }),
    ("retry", { run in ClosureTask.group([run.part, run.part, run.part]).map(\.count).retry(attempts: 2) }),
    (
      "nested",
      {
        ClosureTask.group([.any([$0.part, $0.part]).timeout(after: .seconds(1)), $0.part.ensure {}])
          .map(\.count)
      }
    ),
  ]

  @Test func `a completion sees that all has ended, whatever races`() {
    let problems = raceEnds(of: Self.shapes) { shape, wrong in
      let run = ObservedRun(shape.name, wrong)
      run.perform(shape.task(run))
      return run
    }
    #expect(problems == [])
  }
}
