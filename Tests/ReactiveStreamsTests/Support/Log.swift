import Foundation
import Synchronization

/// A list that several threads append to, and that a test can wait for.
final class Log<Entry: Sendable>: Sendable {
  private let entriesStore = Mutex<[Entry]>([])
  private let changed = NSCondition()

  var entries: [Entry] { entriesStore.withLock { $0 } }

  func add(_ entry: Entry) {
    changed.lock()
    defer { changed.unlock() }
    entriesStore.withLock { $0.append(entry) }
    changed.broadcast()
  }

  /// Waits for at least `count` entries; gives up after a minute.
  func wait(for count: Int) -> [Entry] {
    let deadline = Date(timeIntervalSinceNow: 60)
    changed.lock()
    defer { changed.unlock() }
    while entries.count < count, changed.wait(until: deadline) {}
    return entries
  }
}
