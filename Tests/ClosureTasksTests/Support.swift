import ClosureTasks
import TestSupport

/// Work that the test ends by hand.
final class Manual: Sendable {
  private let controllers = Guarded<[Int: TaskController<Int>]>([:])
  let started = Log<Int>()
  let cancelled = Log<Int>()

  func task(_ index: Int) -> ClosureTask<Int> {
    ClosureTask { controller in
      self.started.append(index)
      controller.onCancel { self.cancelled.append(index) }
      self.controllers.withLock { $0[index] = controller }
    }
  }
  func finish(_ index: Int) { take(index).finish(with: index) }
  func fail(_ index: Int) { take(index).fail(with: Failure(code: index)) }
  private func take(_ index: Int) -> TaskController<Int> {
    controllers.withLock { $0.removeValue(forKey: index)! }
  }
}

/// A task's outcome, for tests that perform it on this thread.
final class Outcome<Output: Sendable>: Sendable {
  private let results = Log<Result<Output, any Error>>()
  let run: TaskRun
  init(_ task: ClosureTask<Output>) { run = task.perform(on: nil) { [results] in results.append($0) } }
  /// Every call of the completion: one, if all is well.
  var all: [Result<Output, any Error>] { results.entries }
  var value: Output? { all.count == 1 ? try? all[0].get() : nil }
  var failure: String? {
    if all.count == 1, case .failure(let error) = all[0] { "\(error)" } else { nil }
  }
}
