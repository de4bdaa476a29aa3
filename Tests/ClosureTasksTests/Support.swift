import Foundation
import ClosureTasks
import Synchronization

/// What callbacks said, in order, from any thread.
final class Log<Entry: Sendable>: Sendable {
  private let state = Mutex<[Entry]>([])
  var entries: [Entry] { state.withLock { $0 } }
  var count: Int { entries.count }
  func append(_ entry: Entry) { state.withLock { $0.append(entry) } }
}

struct Failure: Error, Equatable { var code = 1 }

/// A task's outcome, for tests that perform it on this thread.
final class Outcome<Output: Sendable>: Sendable {
  private let results = Log<Result<Output, any Error>>()
  let run: TaskRun
  init(_ task: ClosureTask<Output>, progress: (@Sendable (Double) -> Void)? = nil) {
    run = task.perform(progress: progress) { [results] in results.append($0) }
  }
  /// Every call of the completion: one, if all is well.
  var all: [Result<Output, any Error>] { results.entries }
  var value: Output? { all.count == 1 ? try? all[0].get() : nil }
  var failure: String? {
    if all.count == 1, case .failure(let error) = all[0] { "\(error)" } else { nil }
  }
}

/// Work that the test ends by hand.
/// `nonisolated(unsafe)`: `controllers` is only touched under `lock`.
final class Manual: Sendable {
  // A lock that the thread sanitizer knows, which Mutex on Linux is not.
  private let lock = NSLock()
  private nonisolated(unsafe) var controllers: [Int: TaskController<Int>] = [:]
  let started = Log<Int>()
  let cancelled = Log<Int>()

  func task(_ index: Int) -> ClosureTask<Int> {
    ClosureTask { controller in
      self.started.append(index)
      controller.onCancel { self.cancelled.append(index) }
      self.lock.withLock { self.controllers[index] = controller }
    }
  }
  func finish(_ index: Int) { take(index).finish(with: index) }
  func fail(_ index: Int) { take(index).fail(with: Failure(code: index)) }
  private func take(_ index: Int) -> TaskController<Int> {
    lock.withLock { controllers.removeValue(forKey: index)! }
  }
}

/// Counts its own instances that are alive.
final class Witness: Sendable {
  let count: Atomic<Int>.Box
  init(_ count: Atomic<Int>.Box) {
    self.count = count
    count.value.add(1, ordering: .relaxed)
  }
  deinit { count.value.subtract(1, ordering: .relaxed) }
}

extension Atomic where Value == Int {
  final class Box: Sendable {
    let value = Atomic<Int>(0)
    var current: Int { value.load(ordering: .acquiring) }
  }
}

/// Runs the body on that many threads at once and returns when all are done.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  let gate = Atomic<Int>.Box()
  for index in 0..<count {
    group.enter()
    Thread.detachNewThread {
      gate.value.add(1, ordering: .acquiringAndReleasing)
      while gate.current < count { sched_yield() }
      body(index)
      group.leave()
    }
  }
  group.wait()
}
