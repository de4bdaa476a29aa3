/// Says that nobody uses a service's threads any more: all services that share them hold it, and the last one lets go.
final class ThreadLease: Sendable {
  private let end: @Sendable () -> Void

  /// - Parameter end: lets the threads end; called once.
  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}
