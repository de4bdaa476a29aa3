/// Counts its own instances that are alive.
package final class Witness: Sendable {
  private let count: Counter

  package init(_ count: Counter) {
    self.count = count
    count.add()
  }
  deinit { count.add(-1) }
}
