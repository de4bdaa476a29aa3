import Foundation
import Synchronization

/// What happened, in order.
final class Log<Entry: Sendable>: @unchecked Sendable {
  // Invariant: touched under the lock; not a `Mutex`, which Thread Sanitizer does not see.
  private let lock = NSLock()
  private var storage: [Entry] = []

  func append(_ entry: Entry) { lock.withLock { storage.append(entry) } }
  var entries: [Entry] { lock.withLock { storage } }
}

/// How many objects there are.
final class Census: Sendable {
  let alive = Atomic<Int>(0)
  var count: Int { alive.load(ordering: .relaxed) }
}

/// Counts itself, and calls back when it goes.
final class Counted: Sendable {
  private let census: Census
  private let onDeinit: (@Sendable () -> Void)?

  init(_ census: Census, onDeinit: (@Sendable () -> Void)? = nil) {
    self.census = census
    self.onDeinit = onDeinit
    census.alive.add(1, ordering: .relaxed)
  }

  deinit {
    census.alive.subtract(1, ordering: .relaxed)
    onDeinit?()
  }
}
