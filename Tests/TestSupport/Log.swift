import Foundation

/// What callbacks said, in order, from any thread.
///
/// `@unchecked Sendable`: `recorded` is only touched under `lock`, one that the thread sanitizer knows, which
/// `Mutex` on Linux is not.
package final class Log<Entry: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var recorded: [Entry] = []

  package init() {}
  package var entries: [Entry] { lock.withLock { recorded } }
  package var count: Int { entries.count }
  package func append(_ entry: Entry) { lock.withLock { recorded.append(entry) } }
}
