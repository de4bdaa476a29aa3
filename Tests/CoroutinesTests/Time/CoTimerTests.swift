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
}
