import Coroutines
import TestSupport
import Synchronization

/// Runs coroutines on the test's thread, in an order drawn from the seed: one interleaving for each seed.
final class SeededScheduler: CoroutineScheduler {
  private struct State {
    var ready: [@Sendable () -> Void] = []
    var random: SeededNumbers
  }
  private let state: Mutex<State>

  init(seed: UInt64) { state = Mutex(State(random: SeededNumbers(seed: seed))) }

  func scheduleTask(_ task: @escaping @Sendable () -> Void) { state.withLock { $0.ready.append(task) } }

  /// Runs until no coroutine is ready: all have finished, or wait.
  func run() { while runOne() {} }

  /// Runs one that is ready, to its next suspension. Returns whether there was one.
  @discardableResult func runOne() -> Bool {
    let work = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.ready.isEmpty else { return nil }
      return state.ready.remove(at: Int.random(in: state.ready.indices, using: &state.random))
    }
    work?()
    return work != nil
  }
}
