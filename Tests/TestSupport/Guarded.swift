import Foundation

/// A value that threads share, one at a time.
///
/// `@unchecked Sendable`: `value` is only touched under `lock`, one that the thread sanitizer knows, which
/// `Mutex` on Linux is not.
package final class Guarded<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  package init(_ value: Value) { self.value = value }
  package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&value) }
  }

  /// Puts a value in place of the old one, which is let go of outside of the lock.
  package func exchange(_ new: Value) -> Value {
    withLock { value in
      let old = value
      value = new
      return old
    }
  }
}
