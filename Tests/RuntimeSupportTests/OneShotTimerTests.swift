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
}
