/// Reports its release.
package final class Farewell: Sendable {
  private let say: @Sendable () -> Void

  package init(_ say: @escaping @Sendable () -> Void) { self.say = say }

  deinit { say() }
}
