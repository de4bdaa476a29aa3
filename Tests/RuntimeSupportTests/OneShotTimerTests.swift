import Dispatch
import TestSupport
import RuntimeSupport
import Testing

@Suite(.ownThread) struct OneShotTimerTests {
  @Test(arguments: [Duration.microseconds(10), .zero, .seconds(-5)])
  func `it calls back once, and at once for no delay`(delay: Duration) {
    let calls = Counter()
    let done = DispatchSemaphore(value: 0)
    let timer = OneShotTimer(after: delay) {
      calls.add()
      done.signal()
    }
    done.wait()
    timer.cancel()
    #expect(calls.current == 1)
  }

  @Test func `a cancelled timer does not call back and lets go of its callback`() {
    let calls = Counter()
    let released = DispatchSemaphore(value: 0)
    do {
      let signal = Signal(released)
      let timer = OneShotTimer(after: .seconds(3600)) {
        calls.add()
        withExtendedLifetime(signal) {}
      }
      timer.cancel()
    }
    // Dispatch releases the handler on its own time, on its own thread.
    released.wait()
    #expect(calls.current == 0)
  }
}

/// Signals when it is let go.
private final class Signal: Sendable {
  private let semaphore: DispatchSemaphore
  init(_ semaphore: DispatchSemaphore) { self.semaphore = semaphore }
  deinit { semaphore.signal() }
}
