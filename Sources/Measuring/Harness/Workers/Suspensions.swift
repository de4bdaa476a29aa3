import Foundation
import Synchronization

/// How often this process was stopped and let go on, as when its machine or its job is suspended.
enum Suspensions {
  /// Counts from the first look on.
  static var count: Int {
    _ = isWatching
    return seen.load(ordering: .relaxed)
  }

  private static let isWatching: Bool = {
    // Made before a signal can ask for it.
    seen.store(0, ordering: .relaxed)
    signal(SIGCONT) { _ in seen.add(1, ordering: .relaxed) }
    return true
  }()
}

private let seen = Atomic<Int>(0)
