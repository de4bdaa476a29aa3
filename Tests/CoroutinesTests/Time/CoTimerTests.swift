import Coroutines
import Dispatch
import TestSupport
import Testing

@Suite(.ownThread) struct CoTimerTests {
  @Test func `due work runs in order, each at its deadline`() {
    let timer = ManualCoTimer()
    let log = Log<String>()
    for seconds in [3, 1, 2] {
      timer.schedule(after: .seconds(seconds)) { log.append("\(seconds) at \(timer.now)") }
    }
    timer.schedule(after: .seconds(1)) {
      timer.schedule(after: .seconds(1)) { log.append("from 1 at \(timer.now)") }
    }
    timer.advance(by: .seconds(2))
    #expect(log.entries == ["1 at 1.0 seconds", "2 at 2.0 seconds", "from 1 at 2.0 seconds"])
    #expect(timer.advanceToNext())
    #expect(log.entries.last == "3 at 3.0 seconds")
    #expect(!timer.advanceToNext())
  }

  @Test func `cancelled work never runs and is released`() {
    let timer = ManualCoTimer()
    let census = Counter()
    let log = Log<Int>()
    let work = timer.schedule(after: .seconds(1)) { [counted = Witness(census)] in
      withExtendedLifetime(counted) { log.append(1) }
    }
    #expect(census.current == 1)
    #expect(work.cancel())
    #expect(!work.cancel())
    #expect(census.current == 0)
    timer.advance(by: .seconds(2))
    #expect(log.entries.isEmpty)
  }

  @Test(arguments: [.zero, .seconds(-5), .seconds(Int64.max), .seconds(Int64.min)] as [Duration])
  func `any duration is accepted`(duration: Duration) {
    let timer = ManualCoTimer()
    timer.advance(by: .seconds(1))
    let log = Log<Int>()
    timer.schedule(after: duration) { log.append(1) }
    timer.advance()
    #expect(log.entries.count == (duration > .zero ? 0 : 1))
  }

  /// The machine's clock works from any thread.
  @Test func `the system's clock goes`() {
    let fired = Counter()
    DispatchQueue.concurrentPerform(iterations: 200) { index in
      _ = CoTimer.system.schedule(after: .microseconds((index * 37) % 400)) { fired.add() }
    }
    #expect(comesTrue { fired.current == 200 })
  }

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
