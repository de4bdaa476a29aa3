import Coroutines
import TestSupport
import Testing

@Suite(.ownThread) struct DelayTests {
  @Test func `a delay ends at its time`() {
    let timer = ManualCoTimer()
    let log = Log<Duration>()
    Coroutine.start {
      for _ in 0..<3 {
        try Coroutine.delay(.milliseconds(500), on: timer)
        log.append(timer.now)
      }
    }
    timer.advance(by: .milliseconds(499))
    #expect(log.entries.isEmpty)
    timer.advance(by: .milliseconds(1001))
    #expect(log.entries == [.milliseconds(500), .seconds(1), .milliseconds(1500)])
  }

  @Test(arguments: [.zero, .seconds(-1)] as [Duration])
  func `a delay of nothing returns at once`(duration: Duration) {
    let future = Coroutine.start { try Coroutine.delay(duration, on: ManualCoTimer()) }
    #expect(future.isResolved)
  }

  @Test func `cancellation ends a delay and its timer`() async {
    let timer = ManualCoTimer()
    let future = Coroutine.start { try Coroutine.delay(.seconds(1), on: timer) }
    #expect(timer.pendingCount == 1)
    future.cancel()
    await #expect(throws: CancellationError.self) { try await future.value }
    #expect(timer.pendingCount == 0)
    timer.advance(by: .seconds(2))
  }

  @Test func `many wait at once`() {
    let timer = ManualCoTimer()
    let log = Log<Int>()
    for number in 0..<20_000 {
      Coroutine.start(stackByteCount: 16 << 10) {
        try Coroutine.delay(.nanoseconds(1 + (number * 7919) % 1000), on: timer)
        log.append(number % 2)
      }
    }
    #expect(timer.pendingCount == 20_000)
    timer.advance(by: .nanoseconds(500))
    #expect(log.entries.count == 10_000)
    timer.advance(by: .nanoseconds(500))
    #expect(log.entries.count == 20_000)
  }

  @Test func `the system's clock ends a delay`() async throws {
    let start = ContinuousClock.now
    try await Coroutine.start { try Coroutine.delay(.milliseconds(1)) }.value
    // Never early.
    #expect(ContinuousClock.now - start >= .milliseconds(1))
  }
}
