import ClosureTasks
import TestSupport

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
