import Dispatch
import UploadScenario

/// Grand Central Dispatch: a group that every request enters and leaves, and a lock for what threads share.
public struct GCDGroupUploads: Contender {
  public let name = "gcd-groups"
  public let summary = "DispatchGroup enter, leave and notify, and a lock for what threads share"

  public init() {}
}

/// A call on a global queue after a delay, once or repeated, until cancelled. A timer source, since `asyncAfter` keeps what a
/// cancelled item captured until it is due. Any thread may use it.
final class QueueTimer: Cancellable, @unchecked Sendable {
  private let source = DispatchSource.makeTimerSource(queue: .global())

  init(after delay: Duration, repeats: Bool = false, _ fire: @escaping @Sendable () -> Void) {
    let interval = DispatchTimeInterval(delay)
    source.schedule(deadline: .now() + interval, repeating: repeats ? interval : .never)
    source.setEventHandler(handler: fire)
    source.activate()
  }

  func cancel() { source.cancel() }
}
