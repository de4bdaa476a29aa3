import Synchronization

/// Runs an action when it has been told as often as it was made for.
@usableFromInline
final class Countdown: Sendable {
  private let left: Atomic<Int>
  private let action: @Sendable () -> Void

  @usableFromInline
  init(_ count: Int, _ action: @escaping @Sendable () -> Void) {
    left = Atomic(count)
    self.action = action
  }

  @usableFromInline
  func arrive() {
    if left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { action() }
  }
}
