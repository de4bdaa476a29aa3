/// Runs actions at once on the calling thread; delays are not waited for.
///
/// Its time stands still: a `Publishers.Timer` on it ticks without a pause as long as it is asked to.
public struct ImmediateScheduler: Scheduler {
  /// The only one that is needed: it has no state.
  public static let shared = ImmediateScheduler()

  public var now: Duration { .zero }
  public func schedule(_ action: @escaping @Sendable () -> Void) { action() }
  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    action()
    return AnyCancellable {}
  }
}
