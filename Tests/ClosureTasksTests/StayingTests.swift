import ClosureTasks
import Dispatch
import Foundation
import TestSupport
import Testing

/// What is performed to stay on a queue does.
@Suite(.ownThread) struct StayingTests {
  private static let key = DispatchSpecificKey<Bool>()
  private let queue = DispatchQueue(label: "home")
  /// Where the closures of tasks were, and completions: true if at home.
  private let places = Log<Bool>()

  init() { queue.setSpecific(key: Self.key, value: true) }

  private func note() { places.append(DispatchQueue.getSpecific(key: Self.key) ?? false) }

  /// A task that finishes somewhere else.
  private func away(_ value: Int, fails: Bool = false) -> ClosureTask<Int> {
    ClosureTask { controller in
      note()
      #expect(controller.queue === queue)
      DispatchQueue.global().async {
        if fails { controller.fail(with: Failure()) } else { controller.finish(with: value) }
      }
    }
  }

  private func outcome<Output>(of task: ClosureTask<Output>, act: (TaskRun) -> Void = { _ in }) -> Result<
    Output, any Error
  > {
    let done = DispatchSemaphore(value: 0)
    let outcome = Guarded<Result<Output, any Error>?>(nil)
    act(
      task.perform(stayingOn: queue) { result in
        note()
        outcome.withLock { $0 = result }
        done.signal()
      })
    done.wait()
    return outcome.withLock { $0! }
  }

  @Test(arguments: [nil, 2]) func `parts, steps and completions are on the queue`(limit: Int?) throws {
    let task = ClosureTask.group(0..<20, limit: limit) {
      away($0).map {
        note(); return $0
      }
    }
    .then { values in
      note()
      return away(values.count).delay(for: .milliseconds(1))
    }
    .retry(attempts: 2).timeout(after: .seconds(600))
    #expect(try outcome(of: task).get() == 20)
    #expect(places.entries == Array(repeating: true, count: 43))
  }

  @Test func `what a completion on a queue leads to is there, and the first counts`() {
    let done = DispatchSemaphore(value: 0)
    ClosureTask.group(0..<3) { [queue] index, controller in
      DispatchQueue.global().async {
        #expect(controller.complete(with: .success(index), on: queue))
        #expect(controller.isEnded)
        #expect(!controller.complete(with: .failure(Failure()), on: queue))
        #expect(!controller.fail(with: Failure()))
      }
    }
    .perform(on: nil) { result in
      note()
      #expect(throws: Never.self) { try #expect(result.get() == [0, 1, 2]) }
      done.signal()
    }
    done.wait()
    #expect(places.entries == [true])
  }

  @Test func `failures and cancellations arrive there`() {
    #expect(throws: Failure()) {
      try outcome(
        of: away(1, fails: true).recover {
          note(); throw $0
        }
      ).get()
    }
    let never = ClosureTask<Int> { controller in controller.onCancel { withExtendedLifetime(controller) {} } }
    #expect(throws: CancellationError.self) {
      try outcome(of: ClosureTask.group([never])) { $0.cancel() }.get()
    }
    #expect(throws: ClosureTaskError.abandoned) { try outcome(of: ClosureTask<Int> { _ in }).get() }
    #expect(places.entries == [true, true, true, true, true])
  }

  @Test func `without it the thread that finishes goes on`() {
    let outcome = Outcome(ClosureTask<Bool> { $0.finish(with: $0.queue == nil) })
    #expect(outcome.value == true)
  }

  /// One queue, so no lock: on a serial one everything is in turn.
  @Test func `cancelled in the middle it ends once, each time`() {
    for round in 0..<200 {
      let ended = Counter()
      let done = DispatchSemaphore(value: 0)
      let run = ClosureTask.group(0..<10, limit: 3) { away($0).then { away($0) } }.perform(stayingOn: queue) {
        _ in
        ended.add()
        done.signal()
      }
      for _ in 0..<round % 50 { sched_yield() }
      run.cancel()
      done.wait()
      queue.sync {}
      #expect(ended.current == 1)
    }
  }
}
