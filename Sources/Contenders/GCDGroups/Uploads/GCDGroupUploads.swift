import Dispatch
import UploadScenario

/// Grand Central Dispatch: a group that every request enters and leaves, and a lock for shared state.
public struct GCDGroupUploads: Contender {
  public let name = "gcd-groups"
  public let summary = "DispatchGroup enter, leave and notify, and a lock for what threads share"

  public init() {}
}

/// A timer on a global queue. `asyncAfter` would retain a cancelled item until it is due.
/// `@unchecked Sendable`: any thread may use a dispatch source.
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
