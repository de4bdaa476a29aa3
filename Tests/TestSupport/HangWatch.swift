import Foundation

/// Ends the process when a test takes longer than its limit, and says which.
///
/// A time limit of Swift Testing's own cancels the test's task and then waits for it, which a blocked thread never ends.
///
/// `@unchecked Sendable`: `running` and `started` are only touched under `lock`.
final class HangWatch: @unchecked Sendable {
  static let shared = HangWatch()

  private let lock = NSLock()
  private var running: [Int: (name: String, since: ContinuousClock.Instant, limit: Duration)] = [:]
  private var started = 0

  private init() {
    Thread.detachNewThread { [self] in
      while true {
        sleep(1)
        guard let name = overdue(at: .now) else { continue }
        FileHandle.standardError.write(Data("\(name) has not ended within its time limit\n".utf8))
        abort()
      }
    }
  }

  /// - Returns: what `end` takes.
  func begin(_ name: String, limit: Duration) -> Int {
    // A long soak goes on for as long as it is told to, and a sanitizer slows everything down.
    let limit = limit * (isUnderSanitizer ? 10 : 1) + (Soak.seconds ?? .zero)
    return lock.withLock {
      started += 1
      running[started] = (name, .now, limit)
      return started
    }
  }

  func end(_ number: Int) { _ = lock.withLock { running.removeValue(forKey: number) } }

  private func overdue(at now: ContinuousClock.Instant) -> String? {
    lock.withLock { running.values.first { now - $0.since > $0.limit }?.name }
  }
}
