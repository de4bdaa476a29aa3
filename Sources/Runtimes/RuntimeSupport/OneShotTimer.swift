import Dispatch
import Synchronization

/// Calls back once after a while, unless it is cancelled first.
///
/// A hundred thousand at once are fine: each is one object and a place in a heap; see ``TimerSource``.
///
/// `@unchecked Sendable`: `heapPosition` belongs to the source's heap and is touched under its lock; the rest is immutable
/// or under a lock of its own.
public final class OneShotTimer: HeapTimer, @unchecked Sendable {
  public let deadlineNanoseconds: Int64
  let queue: DispatchQueue
  @exclusivity(unchecked) public var heapPosition: Int?
  private let source: TimerSource
  private let callback: Mutex<(@Sendable () -> Void)?>

  /// Starts the timer, on the source that is current here. A delay below zero counts as none.
  /// - Parameter queue: where the system's time calls back.
  public init(
    after delay: Duration, on queue: DispatchQueue = .global(), _ fire: @escaping @Sendable () -> Void
  ) {
    source = .current
    deadlineNanoseconds = source.deadlineNanoseconds(after: delay)
    self.queue = queue
    callback = Mutex(fire)
    source.insert(self)
  }

  /// Releases the callback, which is not called any more unless it is being called right now.
  public func cancel() {
    source.remove(self)
    _ = take()
  }

  /// Calls back, unless the timer was cancelled meanwhile.
  func fire() { take()?() }

  private func take() -> (@Sendable () -> Void)? { callback.withLock { $0.take() } }
}
