import Dispatch
import UploadScenario

/// Foundation's operations: each upload an asynchronous operation, and a last one that depends on all.
public struct OperationUploads: Contender {
  public let name = "operations"
  public let summary = "OperationQueue: asynchronous operations and a last one that depends on them"

  public init() {}
}

/// A call on a global queue after a while, or every so often, until it is cancelled.
/// A timer source, because Foundation's `Timer` needs a thread that runs a run loop.
/// Invariant of `@unchecked Sendable`: any thread may use a dispatch source.
final class Alarm: Cancellable, @unchecked Sendable {
  private let source = DispatchSource.makeTimerSource(queue: .global())

  init(after delay: Duration, repeats: Bool = false, _ ring: @escaping @Sendable () -> Void) {
    let interval = DispatchTimeInterval(delay)
    source.schedule(deadline: .now() + interval, repeating: repeats ? interval : .never)
    source.setEventHandler(handler: ring)
    source.activate()
  }

  func cancel() { source.cancel() }
}
