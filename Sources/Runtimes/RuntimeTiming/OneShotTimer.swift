import Dispatch

/// Calls back once after a while, on a global queue, unless it is cancelled first.
///
/// A timer source rather than `asyncAfter`: cancelling it gives everything back at once.
/// `@unchecked Sendable`: a dispatch source may be used from any thread.
package struct OneShotTimer: @unchecked Sendable {
  private let source: any DispatchSourceTimer

  /// Starts the timer. A delay below zero counts as none.
  package init(after delay: Duration, _ fire: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: .global())
    source.schedule(deadline: .now() + delay.dispatchInterval)
    source.setEventHandler { [source] in
      source.cancel()
      fire()
    }
    source.activate()
  }

  /// Releases the callback, which is not called any more unless it is being called right now.
  package func cancel() { source.cancel() }
}
