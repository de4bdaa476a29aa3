import Synchronization

/// What happened, in order.
final class Log<Entry: Sendable>: Sendable {
  private let storage = Mutex<[Entry]>([])

  func append(_ entry: Entry) { storage.withLock { $0.append(entry) } }
  var entries: [Entry] { storage.withLock { $0 } }
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
