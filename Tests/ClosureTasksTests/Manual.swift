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
