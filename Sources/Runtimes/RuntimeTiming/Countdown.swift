import Synchronization

/// Runs an action when it has been told as often as it was made for.
package final class Countdown: Sendable {
  private let left: Atomic<Int>
  private let action: @Sendable () -> Void

  package init(_ count: Int, _ action: @escaping @Sendable () -> Void) {
    left = Atomic(count)
    self.action = action
  }

  package func arrive() {
    if left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { action() }
  }
}
