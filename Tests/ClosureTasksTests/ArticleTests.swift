import ClosureTasks
import Dispatch
import TestSupport
import Testing

private typealias Task = ClosureTask<Void>

/// Tasks without a value, by the names in the article.
@Suite(.ownThread) struct ArticleTests {
  private let log = Log<String>()

  /// A task that logs its start and its end, on another thread.
  private func named(_ name: String, fails: Bool = false) -> Task {
    Task { [log] controller in
      log.append("start \(name)")
      DispatchQueue.global().async {
        log.append("end \(name)")
        if fails { controller.fail(with: Failure(code: 7)) } else { controller.finish() }
      }
    }
  }

  private func outcome(of task: Task) -> ClosureTasks.Outcome {
    let outcomes = Log<ClosureTasks.Outcome>()
    task.perform { outcomes.append($0) }
    return outcomes.wait(for: 1)[0]
  }

  @Test func `in a sequence of a group and a task the group's tasks end before the task starts`() throws {
    let media = ["p1", "p2", "v1"].map { named($0) }
    let sequence = Task.sequence([.group(media), named("post")])
    try outcome(of: sequence).get()
    #expect(log.entries.suffix(2) == ["start post", "end post"])
    #expect(Set(log.entries.dropLast(2)).count == 6)
  }

  @Test
  func `an empty group and an empty sequence have succeeded, an empty any and an empty race have failed`() {
    #expect(Outcome(Task.group([])).value != nil)
    #expect(Outcome(Task.sequence([])).value != nil)
    #expect(Outcome(ClosureTask<[Int]>.group([ClosureTask<Int>]())).value == [])
    #expect(Outcome(ClosureTask<[Int]>.sequence([ClosureTask<Int>]())).value == [])
    #expect(Outcome(ClosureTask.inOrderOfCompletion([ClosureTask<Int>]())).value?.isEmpty == true)
    #expect(Outcome(Task.any([])).failure == "allFailed([])")
    #expect(Outcome(Task.race([])).failure == "allFailed([])")
  }

  @Test func `a task is performed on a global queue, on a queue that is named, or by the caller`() {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "named")
    queue.setSpecific(key: key, value: true)
    let places = Log<String>()
    let task = Task { controller in
      places.append(
        DispatchQueue.getSpecific(key: key) == true ? "named" : TestThreads.areCurrent ? "caller" : "global")
      controller.finish()
    }
    let done = DispatchSemaphore(value: 0)
    task.perform { _ in done.signal() }
    done.wait()
    task.perform(on: queue) { _ in done.signal() }
    done.wait()
    task.perform(on: nil) { _ in done.signal() }
    done.wait()
    #expect(places.entries == ["global", "named", "caller"])
  }

  @Test func `the value is awaited, and a cancelled wait cancels the run`() async throws {
    #expect(try await ClosureTask<Int> { $0.finish(with: 3) }.value == 3)
    await #expect(throws: Failure(code: 2)) {
      try await ClosureTask<Int> { _ in throw Failure(code: 2) }.value
    }
    let (stopped, hasBegun) = (Counter(), AsyncStream.makeStream(of: Void.self))
    let kept = Guarded<TaskController<Int>?>(nil)
    let waiting = _Concurrency.Task {
      try await ClosureTask<Int> { controller in
        kept.withLock { $0 = controller }
        controller.onCancel { stopped.add() }
        hasBegun.continuation.yield()
      }.value
    }
    for await _ in hasBegun.stream { break }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(stopped.current == 1)
  }

  @Test func `a wait that is cancelled before it begins ends, whether the work has begun or not`() async {
    for _ in 0..<1_000 {
      let waiting = _Concurrency.Task { try await ClosureTask<Int> { _ in }.value }
      waiting.cancel()
      // A closure that has begun releases its controller.
      switch await waiting.result {
      case .failure(is CancellationError), .failure(ClosureTaskError.abandoned): break
      case let result: Issue.record("\(result)")
      }
    }
  }
}
