import Dispatch
import UploadScenario

/// The baseline contender: hand-written callbacks and atomic counters.
public struct CallbackUploads: Contender {
  public let name = "callbacks"
  public let summary = "hand-written callbacks and atomic counters: the baseline"


  public init() {}
}

/// A call on a global queue at a time, and again if it is repeated, until it is cancelled.
///
/// A timer source: cancelling it gives back what the call captured at once.
/// Invariant of `@unchecked Sendable`: a dispatch source may be used from any thread.
final class Alarm: Cancellable, @unchecked Sendable {
  private let source: any DispatchSourceTimer

  init(every interval: Duration? = nil, _ ring: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: .global())
    // The source keeps itself until it is cancelled, whoever drops the handle.
    source.setEventHandler { [source] in withExtendedLifetime(source, ring) }
    if let interval {
      let nanoseconds = DispatchTimeInterval(interval)
      source.schedule(deadline: .now() + nanoseconds, repeating: nanoseconds)
    }
    source.activate()
  }

  /// Sets the next call, in place of the one that was set.
  func set(at time: DispatchTime) { source.schedule(deadline: time) }

  /// None begins from now on.
  func cancel() { source.cancel() }
}
