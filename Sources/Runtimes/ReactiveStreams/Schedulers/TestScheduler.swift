import Synchronization

/// A scheduler whose time passes only when a test says so.
public final class TestScheduler: Scheduler {
  private struct Entry {
    let due: Duration
    let number: Int
    let slot: SubscriptionSlot
    let action: @Sendable () -> Void
  }

  private struct State {
    var now = Duration.zero
    var entries: [Entry] = []
    var scheduled = 0
  }

  private let state = Mutex(State())

  public init() {}

  public var now: Duration { state.withLock { $0.now } }

  /// How many actions are waiting.
  public var pendingCount: Int { state.withLock { $0.entries.count { !$0.slot.isEnded } } }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    add(.zero, SubscriptionSlot(), action)
  }

  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    let slot = SubscriptionSlot()
    add(delay, slot, action)
    return AnyCancellable(slot)
  }

  /// Lets time pass and runs what falls due, in order of time, then of scheduling, on this thread.
  public func advance(by duration: Duration = .zero) {
    let target = now + duration
    while let entry = next(upTo: target) {
      if entry.slot.end() { entry.action() }
    }
    state.withLock { $0.now = target }
  }

  private func add(_ delay: Duration, _ slot: SubscriptionSlot, _ action: @escaping @Sendable () -> Void) {
    state.withLock {
      $0.scheduled += 1
      $0.entries.append(
        Entry(due: $0.now + max(.zero, delay), number: $0.scheduled, slot: slot, action: action))
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
