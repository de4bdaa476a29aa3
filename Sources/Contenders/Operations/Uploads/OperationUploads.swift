import Dispatch
import UploadScenario

/// Foundation's operations: each upload an asynchronous operation, and a last one that depends on all.
public struct OperationUploads: Contender {
  public let name = "operations"
  public let summary = "OperationQueue: asynchronous operations and a last one that depends on them"

  public init() {}
}

/// A request that is answered on a global queue after a delay, at intervals, or when cancelled. A timer source, since
/// Foundation's `Timer` needs a run loop. Any thread may use it: `@unchecked Sendable`.
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
  /// Other common forms.
  public static let variants: [any Contender] = [BlockingMainUploads()]
}
