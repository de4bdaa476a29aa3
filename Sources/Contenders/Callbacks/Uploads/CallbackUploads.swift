import Dispatch
import UploadScenario

/// Completion handlers by hand: the reference of every ratio.
public struct CallbackUploads: Contender {
  public let name = "callbacks"
  public let summary = "completion handlers by hand: one lock, a count of requests and their handles"

  public init() {}

  /// A thread of its own for each blocked call.
  public static let onThreads: any Contender = ThreadUploads()
}

/// A call on a global queue after a delay, once or repeated, until it is cancelled or released.
///
/// Invariant of `@unchecked Sendable`: a dispatch source may be used from any thread.
final class Timer: Cancellable, @unchecked Sendable {
  private let source: any DispatchSourceTimer = DispatchSource.makeTimerSource(queue: .global())

  init(after delay: Duration, repeats: Bool = false, _ body: @escaping @Sendable () -> Void) {
    let interval = DispatchTimeInterval(delay)
    source.schedule(deadline: .now() + interval, repeating: repeats ? interval : .never)
    source.setEventHandler(handler: body)
    source.activate()
  }

  deinit { cancel() }
  func cancel() { source.cancel() }
}
