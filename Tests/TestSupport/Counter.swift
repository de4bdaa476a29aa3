import Synchronization

/// A number that any thread may change.
package final class Counter: Sendable {
  private let value = Atomic<Int>(0)

  package init() {}
  package var current: Int { value.load(ordering: .acquiring) }
  /// - Returns: the number after the change.
  @discardableResult
  package func add(_ amount: Int = 1) -> Int { value.add(amount, ordering: .acquiringAndReleasing).newValue }
}
