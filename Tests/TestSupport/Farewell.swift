/// Says when it is let go of.
package final class Farewell: Sendable {
  private let say: @Sendable () -> Void

  package init(_ say: @escaping @Sendable () -> Void) { self.say = say }

  deinit { say() }
}
