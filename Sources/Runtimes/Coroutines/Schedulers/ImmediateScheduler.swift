import CContextSwitch

/// Runs coroutines on the thread that starts them or makes them ready, at once: the same as no scheduler.
///
/// A coroutine that becomes ready while another runs on that thread waits until that one leaves, so that resumptions
/// never nest, however many coroutines resume each other.
public final class ImmediateScheduler: CoroutineScheduler {
  /// The only one that there is.
  public static let shared = ImmediateScheduler()

  private init() {}

  public func schedule(_ work: @escaping @Sendable () -> Void) { work() }

  public func schedule(_ coroutine: ReadyCoroutine) { coroutine.fiber.driveInTurn() }
}

extension CoroutineScheduler where Self == ImmediateScheduler {
  /// The thread that starts a coroutine or makes it ready.
  public static var immediate: ImmediateScheduler { .shared }
}
