import Dispatch
import UploadScenario

/// Foundation's operations: each upload is an asynchronous operation, and a last operation depends on all of them.
public struct OperationUploads: Contender {
  public let name = "operations"
  public let summary = "OperationQueue: asynchronous operations and a last one that depends on them"

  public init() {}
}

/// A timer on a global queue, which fires after a delay, at intervals, or when it is cancelled. Foundation's `Timer` would need a
/// run loop. `@unchecked Sendable`: any thread may use a dispatch source.
final class Alarm: Cancellable, @unchecked Sendable {
  private let source = DispatchSource.makeTimerSource(queue: .global())

  init(after delay: Duration, repeats: Bool = false, _ ring: @escaping Callback<Void>) {
    let interval = DispatchTimeInterval(delay)
    source.schedule(deadline: .now() + interval, repeating: repeats ? interval : .never)
    source.setEventHandler { [source] in if repeats { ring(.success(())) } else { source.cancel() } }
    if !repeats { source.setCancelHandler { ring(.success(())) } }
    source.activate()
  }

  func cancel() { source.cancel() }
}

extension OperationUploads {
  public static let variants: [any Contender] = [BlockingMainUploads()]
}
