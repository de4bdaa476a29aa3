import ClosureTasks
import Foundation
import RuntimeTestSupport
import Testing

@Suite struct GroupTests {
  @Test(arguments: [0, 1, 2, 5, 300]) func `values are in the order of the tasks`(count: Int) {
    let manual = Manual()
    let outcome = Outcome(ClosureTask.group((0..<count).map(manual.task)))
    for index in (0..<count).shuffled() { manual.finish(index) }
    #expect(outcome.value == Array(0..<count))
  }

  @Test func `the first failure is the outcome and cancels what is in flight before it is told`() {
    let manual = Manual()
    let seen = Log<[Int]>()
    let group = ClosureTask.group((0..<4).map(manual.task))
    group.perform { result in
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
    let outcome = Outcome(
      ClosureTask.group(0..<200_000, limit: limit) { index in ClosureTask { $0.finish(with: index) } })
    #expect(outcome.value?.count == 200_000)
  }

  @Test(arguments: [1, 2, 7, 500]) func `a limit is never exceeded and everything is started`(limit: Int) {
    let running = Counter()
    let peak = Guarded(0)
    let done = DispatchSemaphore(value: 0)
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
    }.perform {
      values.append((try? $0.get()) ?? [])
      done.signal()
    }
    done.wait()
    #expect(values.entries == [Array(0..<200)])
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

  @Test func `cancelling cancels what is in flight and starts nothing more`() {
    let manual = Manual()
    let outcome = Outcome(ClosureTask.group((0..<6).map(manual.task), limit: 2))
    manual.finish(0)
    outcome.run.cancel()
    #expect(manual.started.entries == [0, 1, 2])
    #expect(manual.cancelled.entries == [1, 2])
    #expect(outcome.failure == "CancellationError()")
  }

  @Test func `nothing is left after a group, however it ends`() {
    let alive = Counter()
    do {
      for cancelled in [false, true] {
        let group = ClosureTask.group(
          (0..<10).map { index in
            ClosureTask<Witness> { controller in
              let witness = Witness(alive)
              controller.onCancel { _ = witness }
              if !cancelled || index < 5 { controller.finish(with: witness) }
            }
          })
        let run = group.map { _ in 0 }.perform { _ in }
        run.cancel()
        #expect(run.isEnded)
      }
    }
    #expect(alive.current == 0)
  }

  @Test func `parts that fail, finish and are cancelled from several threads give one outcome`() {
    for round in 0..<200 {
      let manual = Manual()
      let outcome = Outcome(ClosureTask.group((0..<12).map(manual.task)))
      onThreads(3) { thread in
        for index in stride(from: thread, to: 12, by: 3) {
          if round % 2 == 0, index == 6 { manual.fail(index) } else { manual.finish(index) }
        }
        if round % 3 == 0, thread == 1 { outcome.run.cancel() }
      }
      #expect(outcome.all.count == 1)
    }
  }
}
