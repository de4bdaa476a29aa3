import Foundation
import Synchronization

/// A value that threads share, one at a time.
///
/// `@unchecked Sendable`: `value` is accessed only under `lock`, an `NSLock`, since Thread Sanitizer does not know `Mutex` on
/// Linux.
package final class Guarded<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  package init(_ value: Value) { self.value = value }
  package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&value) }
  }

  /// Replaces the value; the old one is released outside of the lock.
  package func exchange(_ new: Value) -> Value {
    withLock { value in
      let old = value
      value = new
      return old
    }
  }
}

/// Entries in order, from any thread.
package final class Log<Entry: Sendable>: Sendable {
  private let recorded = Guarded<[Entry]>([])

  package init() {}
  package var entries: [Entry] { recorded.withLock { $0 } }
  package var count: Int { entries.count }
  package func append(_ entry: Entry) { recorded.withLock { $0.append(entry) } }

  /// Waits up to 20 s for at least `count` entries.
  package func wait(for count: Int) -> [Entry] {
    _ = comesTrue { self.count >= count }
    return entries
  }
}

/// A number that any thread may change.
package final class Counter: Sendable {
  private let value = Atomic<Int>(0)

  package init() {}
  package var current: Int { value.load(ordering: .acquiring) }
  /// Returns the new number.
  @discardableResult
  package func add(_ amount: Int = 1) -> Int { value.add(amount, ordering: .acquiringAndReleasing).newValue }
}

/// Counts its living instances.
package final class Witness: Sendable {
  private let count: Counter

  package init(_ count: Counter) {
    self.count = count
    count.add()
  }
  deinit { count.add(-1) }
}

/// A weak reference. `@unchecked Sendable`: `object` is set once, before the reference is shared.
package final class WeakReference: @unchecked Sendable {
  package private(set) weak var object: AnyObject?
  package init(_ object: AnyObject) { self.object = object }
}

/// An error that a test recognises.
package struct Failure: Error, Equatable {
  package var code: Int
  package init(code: Int = 1) { self.code = code }
}

/// Whether `condition` holds within 20 s.
package func comesTrue(_ condition: () -> Bool) -> Bool {
  let deadline = ContinuousClock.now + .seconds(20)
  while !condition() {
    if ContinuousClock.now > deadline { return false }
    usleep(200)
  }
  return true
}
