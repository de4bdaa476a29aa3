import TestSupport
import RuntimeSupport
import Testing

@Suite(.ownThread) struct TimerSourceTests {
  @Test func `timers become due by deadline, then in the order of their start`() {
    let source = ManualTimerSource()
    let log = Log<String>()
    TimerSource.$current.withValue(source) {
      for (seconds, name) in [(2, "late"), (1, "early"), (1, "early, too")] {
        _ = OneShotTimer(after: .seconds(seconds)) { log.append("\(name) at \(source.now)") }
      }
    }
    source.advance(by: .seconds(1))
    #expect(log.entries == ["early at 1.0 seconds", "early, too at 1.0 seconds"])
    #expect(source.advanceToNext())
    #expect(log.entries.last == "late at 2.0 seconds")
    #expect(!source.advanceToNext() && source.pendingCount == 0)
  }

  @Test func `a timer started by another uses the same clock`() {
    let source = ManualTimerSource()
    let calls = Counter()
    TimerSource.$current.withValue(source) {
      _ = OneShotTimer(after: .seconds(1)) { _ = OneShotTimer(after: .seconds(3600)) { calls.add() } }
      source.advance(by: .seconds(3601))
    }
    #expect(calls.current == 1)
  }

  @Test func `a cancelled timer releases its callback and its place at once`() {
    let source = ManualTimerSource()
    let alive = Counter()
    TimerSource.$current.withValue(source) {
      let timer = OneShotTimer(after: .seconds(3600)) { [witness = Witness(alive)] in
        withExtendedLifetime(witness) {}
      }
      timer.cancel()
    }
    #expect(alive.current == 0)
    #expect(source.pendingCount == 0)
  }

  @Test func `the system's time calls back ten thousand timers from many threads, none early`() {
    let calls = Counter()
    let early = Counter()
    onThreads(4) { _ in
      for index in 0..<2_500 {
        let delay = Duration.microseconds(index)
        let begin = TimerSource.current.now
        _ = OneShotTimer(after: delay) {
          if TimerSource.system.now < begin + delay { early.add() }
          calls.add()
        }
      }
    }
    SpinWait.until { calls.current == 10_000 }
    #expect(early.current == 0)
  }

  @Test(arguments: [Duration.microseconds(10), .zero, .seconds(-5)])
  func `a timer calls back once, and at once for no delay`(delay: Duration) {
    let calls = Counter()
    let timer = OneShotTimer(after: delay) { calls.add() }
    #expect(comesTrue { calls.current > 0 })
    timer.cancel()
    #expect(calls.current == 1)
  }
}
