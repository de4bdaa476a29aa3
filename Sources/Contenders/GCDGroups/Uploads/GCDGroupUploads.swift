import Dispatch
import UploadScenario

/// Grand Central Dispatch: a group that is entered for each upload, a lock for what threads share, and one queue for all posts.
public struct GCDGroupUploads: Contender {
  public let name = "gcd-groups"
  public let summary = "DispatchGroup enter, leave and notify, and a lock for what threads share"
  let queue: DispatchQueue? = DispatchQueue(label: "uploads", target: .global())

  public init() {}
}

extension GCDGroupUploads {
  /// Other common spellings.
  public static let variants: [any Contender] = [WorkItemUploads(), SemaphoreUploads(), WaitUploads()]
}

/// A call on a queue after a while, or every so often, until it is cancelled.
///
/// A timer source: `asyncAfter` would keep what its work item captured until it is due, cancelled or not.
/// Invariant of `@unchecked Sendable`: a dispatch source may be used from any thread.
final class QueueTimer: Cancellable, @unchecked Sendable {
  private let source: any DispatchSourceTimer

  init(
    on queue: DispatchQueue, after delay: Duration, repeats: Bool = false,
    _ fire: @escaping @Sendable () -> Void
  ) {
    let interval = DispatchTimeInterval(delay)
    source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(deadline: .now() + interval, repeating: repeats ? interval : .never)
    // The source keeps itself until it is cancelled.
    source.setEventHandler { [source] in
      if !repeats { source.cancel() }
      fire()
    }
    source.activate()
  }

  /// Gives back what the call captured. None begins from now on.
  func cancel() { source.cancel() }
}
