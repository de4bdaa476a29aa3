import ClosureTasks
import Foundation
import RuntimeSupport
import TestSupport
import Testing

@Suite(.ownThread) struct GroupTests {
  @Test(arguments: [0, 1, 2, 5, 300]) func `values are in the order of the tasks`(count: Int) {
    let manual = Manual()
    let outcome = Outcome(ClosureTask.group((0..<count).map(manual.task)))
    for index in (0..<count).shuffled() { manual.finish(index) }
    #expect(outcome.value == Array(0..<count))
  }

  @Test func `the first failure is the outcome and cancels the other parts before the completion`() {
    let manual = Manual()
    let seen = Log<[Int]>()
    let group = ClosureTask.group((0..<4).map(manual.task))
    group.perform(on: nil) { result in
      #expect(throws: Failure(code: 2)) { try result.get() }
      seen.append(manual.cancelled.entries)
    }
    manual.finish(0)
    manual.fail(2)
    #expect(seen.entries == [[1, 3]])
  }

  @Test(arguments: [nil, 1, 3]) func `nothing is started after a failure`(limit: Int?) {
    let started = Log<Int>()
    let outcome = Outcome(
      ClosureTask.group(0..<10, limit: limit) { index in
        ClosureTask<Int> { controller in
          started.append(index)
          if index == 2 { controller.fail(with: Failure()) } else { controller.finish(with: index) }
        }
      })
    #expect(outcome.failure == "Failure(code: 1)")
    #expect(started.entries == [0, 1, 2])
  }

  @Test(arguments: [nil, 1, 3]) func `tasks that end at once run in constant stack`(limit: Int?) {
    let count = Effort.count(20_000, thorough: 200_000)
    let outcome = Outcome(
      ClosureTask.group(0..<count, limit: limit) { index in ClosureTask { $0.finish(with: index) } })
    #expect(outcome.value?.count == count)
  }

  @Test(arguments: [1, 2, 7, 500]) func `a limit is never exceeded and everything is started`(limit: Int) {
    let running = Counter()
    let peak = Guarded(0)
    let values = Log<[Int]>()
    ClosureTask.group(0..<200, limit: limit) { index in
      ClosureTask<Int> { controller in
        let now = running.add()
        peak.withLock { $0 = max($0, now) }
        DispatchQueue.global().async {
          running.add(-1)
          controller.finish(with: index)
        }
      }
    }.perform(on: nil) { values.append((try? $0.get()) ?? []) }
    #expect(values.wait(for: 1) == [Array(0..<200)])
    #expect(peak.withLock { $0 } <= limit)
  }

  @Test func `a sequence has one task in flight and stops at the first failure`() {
    let manual = Manual()
    let outcome = Outcome(ClosureTask.sequence((0..<4).map(manual.task)))
    #expect(manual.started.entries == [0])
    manual.finish(0)
    #expect(manual.started.entries == [0, 1])
    manual.fail(1)
    #expect(manual.started.entries == [0, 1])
    #expect(outcome.failure == "Failure(code: 1)")
  }

  @Test(arguments: [nil, 1, 3])
  func `a closure that is given an item and its controller is a part as a task is`(limit: Int?) {
    let started = Log<Int>()
    func outcome(failing: Int, throwing: Int) -> Outcome<[Int]> {
      Outcome(
        .group(0..<10, limit: limit) { index, controller in
          started.append(index)
          if index == throwing { throw Failure(code: 3) }
          controller.complete(with: index == failing ? .failure(Failure(code: 2)) : .success(-index))
        })
    }
    #expect(outcome(failing: -1, throwing: -1).value == (0..<10).map { -$0 })
    #expect(outcome(failing: 2, throwing: -1).failure == "Failure(code: 2)")
    #expect(outcome(failing: -1, throwing: 1).failure == "Failure(code: 3)")
    #expect(started.entries == Array(0..<10) + [0, 1, 2, 0, 1])
    let waiting = Log<TaskController<Int>>()
    let sequence = Outcome(.sequence(0..<4) { _, controller in waiting.append(controller) })
    waiting.entries[0].finish(with: 7)
    sequence.run.cancel()
    #expect(waiting.entries.map(\.isCancelled) == [false, true])
    #expect(sequence.failure == "CancellationError()")
  }

  @Test func `cancelling cancels what is in flight and starts nothing more`() {
    let manual = Manual()
    let outcome = Outcome(ClosureTask.group((0..<6).map(manual.task), limit: 2))
    manual.finish(0)
    outcome.run.cancel()
    #expect(manual.started.entries == [0, 1, 2])
    #expect(manual.cancelled.entries == [1, 2])
    #expect(outcome.failure == "CancellationError()")
  }

  @Test func `a cancellation is delivered when the part that is just starting is cancelled, too`() {
    let manual = Manual()
    let isStarting = DispatchSemaphore(value: 0)
    let mayStart = DispatchSemaphore(value: 0)
    let ends = Log<[Int]>()
    let group = ClosureTask.group(0..<2, limit: 1) { index in
      if index == 1 {
        isStarting.signal()
        mayStart.wait()
      }
      return manual.task(index)
    }
    let run = group.map { $0 }.perform(on: nil) { _ in ends.append(manual.cancelled.entries) }
    DispatchQueue.global().async { manual.finish(0) }
    isStarting.wait()
    run.cancel()
    #expect(run.isCancelled)
    #expect(ends.count == 0)
    mayStart.signal()
    // The part that was starting did not begin, or was cancelled; either way that came first.
    #expect(ends.wait(for: 1) == [manual.started.entries.contains(1) ? [1] : []])
  }

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
