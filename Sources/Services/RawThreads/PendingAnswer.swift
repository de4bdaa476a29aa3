import Synchronization

/// An answer that one thread waits for and another one gives.
public final class PendingAnswer<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let parker = Parker()

  public init() {}

  /// Gives the answer, from any thread; the first one counts.
  public func give(_ value: Value) {
    self.value.withLock { $0 = $0 ?? value }
    parker.unpark()
  }

  /// Blocks until the answer is there; nil: the deadline came first. One thread at a time may wait.
  public func wait(untilNanoseconds deadlineNanoseconds: UInt64?) -> Value? {
    while true {
      if let answer = value.withLock({ $0 }) { return answer }
      guard parker.park(untilNanoseconds: deadlineNanoseconds) else { return value.withLock { $0 } }
    }
  }

  /// Blocks until the answer is there.
  public func wait() -> Value { wait(untilNanoseconds: nil)! }
}
