import Dispatch
import Foundation
import RuntimeSupport
import Synchronization

/// Runs closures elsewhere, or later, as dispatch queues and operation queues do.
public protocol Scheduler: Sendable {
  /// The time since some fixed moment.
  var now: Duration { get }

  /// Runs an action soon, after those scheduled before it if the scheduler is serial.
  func schedule(_ action: @escaping @Sendable () -> Void)

  /// Runs an action when `delay` has passed, unless the result is cancelled or dropped before.
  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable
}

/// Runs actions at once on the calling thread. Its time stands still: a timer on it ticks as long as it is asked to.
public struct ImmediateScheduler: Scheduler {
  /// The only one that is needed: it has no state.
  public static let shared = ImmediateScheduler()

  public var now: Duration { .zero }
  public func schedule(_ action: @escaping @Sendable () -> Void) { action() }
  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    action()
    return AnyCancellable {}
  }
}

extension DispatchQueue: Scheduler {
  public var now: Duration { TimerSource.current.now }

  public func schedule(_ action: @escaping @Sendable () -> Void) { async(execute: action) }

  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    AnyCancellable(OneShotTimer(after: delay, on: self, action))
  }
}

extension OneShotTimer: Subscription {
  public func request(_ demand: Subscribers.Demand) {}
}

/// Runs each action as an operation. A queue with `maxConcurrentOperationCount` 1 keeps their order; a suspended
/// queue runs what has become due when it is resumed.
extension OperationQueue: Scheduler {
  public var now: Duration { TimerSource.current.now }

  public func schedule(_ action: @escaping @Sendable () -> Void) { addOperation(action) }

  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    let scheduled = ScheduledAction(action)
    let timer = OneShotTimer(after: delay) { self.addOperation { scheduled.run() } }
    return AnyCancellable {
      timer.cancel()
      scheduled.cancel()
    }
  }
}

/// An action that runs once or is cancelled, and is let go of either way, while a queue may keep this until its time.
final class ScheduledAction: Subscription {
  private let action: Mutex<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) { self.action = Mutex(action) }

  var isPending: Bool { action.withLock { $0 != nil } }

  func run() { take()?() }

  func request(_ demand: Subscribers.Demand) {}

  func cancel() { _ = take() }

  private func take() -> (@Sendable () -> Void)? { action.withLock { $0.take() } }
}

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
