import Foundation
import Synchronization

/// An operation that goes on after `main` returned, until `finish`.
///
/// It keeps its own executing and finished state and announces both, as the documentation of `Operation` asks of
/// operations that are asynchronous; one that only overrides `main` would have to block a thread.
class AsynchronousOperation: Operation, @unchecked Sendable {
  private enum State { case ready, executing, finished }

  // All that is mutable lies behind a lock, here and in the subclasses: that is what makes them Sendable.
  private let state = Mutex(State.ready)

  override final var isAsynchronous: Bool { true }
  override final var isExecuting: Bool { state.withLock { $0 == .executing } }
  override final var isFinished: Bool { state.withLock { $0 == .finished } }

  override final func start() {
    change(to: .executing, announcing: ["isExecuting"])
    // A cancelled operation starts as well, so that it can finish: `main` looks.
    main()
  }

  /// Ends the operation; call it once.
  final func finish() {
    change(to: .finished, announcing: ["isExecuting", "isFinished"])
  }

  private func change(to new: State, announcing keys: [String]) {
    for key in keys { willChangeValue(forKey: key) }
    state.withLock { $0 = new }
    for key in keys { didChangeValue(forKey: key) }
  }
}
