import Synchronization

/// A scheduler whose time passes only when a test says so.
public final class TestScheduler: Scheduler {
  private struct Entry {
    let due: Duration
    let action: ScheduledAction
  }

  private struct State {
    var now = Duration.zero
    /// In order of time, then of scheduling.
    var entries: [Entry] = []
  }

  private let state = Mutex(State())

  /// Begins at zero; time passes by `advance` alone.
  public init() {}

  public var now: Duration { state.withLock { $0.now } }

  /// How many actions are waiting.
  public var pendingCount: Int { state.withLock { $0.entries.count { $0.action.isPending } } }

  public func schedule(_ action: @escaping @Sendable () -> Void) { add(.zero, ScheduledAction(action)) }

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
      let due = $0.now + max(.zero, delay)
      let place = $0.entries.firstIndex { $0.due > due } ?? $0.entries.endIndex
      $0.entries.insert(Entry(due: due, action: action), at: place)
    }
  }

  private func next(upTo target: Duration) -> Entry? {
    state.withLock {
      guard let entry = $0.entries.first, entry.due <= target else { return nil }
      $0.entries.removeFirst()
      $0.now = max($0.now, entry.due)
      return entry
    }
  }
}
