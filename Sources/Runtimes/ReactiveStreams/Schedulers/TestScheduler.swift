import Synchronization

/// A scheduler whose time passes only when a test says so.
public final class TestScheduler: Scheduler {
  private struct Entry {
    let due: Duration
    let number: Int
    let action: ScheduledAction
  }

  private struct State {
    var now = Duration.zero
    var entries: [Entry] = []
    var scheduled = 0
  }

  private let state = Mutex(State())

  /// Begins at zero; time passes by `advance` alone.
  public init() {}

  public var now: Duration { state.withLock { $0.now } }

  /// How many actions are waiting.
  public var pendingCount: Int { state.withLock { $0.entries.count { $0.action.isPending } } }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    add(.zero, ScheduledAction(action))
  }

  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    let scheduled = ScheduledAction(action)
    add(delay, scheduled)
    return AnyCancellable(scheduled)
  }

  /// Lets time pass and runs what falls due, in order of time, then of scheduling, on this thread.
  public func advance(by duration: Duration = .zero) {
    let target = now + duration
    while let entry = next(upTo: target) { entry.action.run() }
    state.withLock { $0.now = max($0.now, target) }
  }

  private func add(_ delay: Duration, _ action: ScheduledAction) {
    state.withLock {
      $0.scheduled += 1
      $0.entries.append(Entry(due: $0.now + max(.zero, delay), number: $0.scheduled, action: action))
    }
  }

  private func next(upTo target: Duration) -> Entry? {
    state.withLock { state in
      let due = state.entries.indices.filter { state.entries[$0].due <= target }
      let first = due.min {
        (state.entries[$0].due, state.entries[$0].number) < (state.entries[$1].due, state.entries[$1].number)
      }
      guard let first else { return nil }
      let entry = state.entries.remove(at: first)
      state.now = max(state.now, entry.due)
      return entry
    }
  }
}
