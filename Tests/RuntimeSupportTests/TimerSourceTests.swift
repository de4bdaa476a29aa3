import TestSupport
import RuntimeSupport
import Testing
import Timers

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

  private final class Timer: HeapTimer {
    let deadlineNanoseconds: Int64
    var heapPosition: Int?

    init(_ deadline: Int64) { deadlineNanoseconds = deadline }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `timers come by deadline, then by arrival, whatever was removed`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    let all = (0..<200).map { _ in Timer(Int64.random(in: 0..<50, using: &random)) }
    var heap = TimerHeap<Timer>()
    for timer in all { heap.insert(timer) }
    var left = Array(all.enumerated())
    for _ in 0..<100 {
      let removed = left.remove(at: Int.random(in: left.indices, using: &random)).element
      let answers = [heap.remove(removed), heap.remove(removed)]
      #expect(answers == [true, false])
    }
    let order = left.sorted {
      ($0.element.deadlineNanoseconds, $0.offset) < ($1.element.deadlineNanoseconds, $1.offset)
    }
    var drained: [Timer] = []
    while let timer = heap.removeFirst(dueBy: .max) { drained.append(timer) }
    #expect(drained.map(ObjectIdentifier.init) == order.map { ObjectIdentifier($0.element) })
  }

  @Test func `only due timers are removed`() {
    let all = [Timer(5), Timer(3)]
    var heap = TimerHeap<Timer>()
    for timer in all { heap.insert(timer) }
    #expect(heap.firstDeadlineNanoseconds == 3)
    #expect([2, 3, 3, 5].map { heap.removeFirst(dueBy: $0)?.deadlineNanoseconds } == [nil, 3, nil, 5])
  }

  static let cases: [(Duration, Int64)] = [
    (.zero, 0), (.nanoseconds(7), 7),
    (Duration(secondsComponent: 3, attosecondsComponent: 9_000_000_000), 3_000_000_009),
    (.seconds(-1), 0), (.seconds(-9_223_372_036_854), 0),
    (Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 854_775_807_000_000_000), .max),
    (Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 854_775_808_000_000_000), .max),
    (.seconds(Int64.max), .max),
  ]

  @Test(arguments: cases) func `a duration is whole nanoseconds between none and the most there is`(
    duration: Duration, nanoseconds: Int64
  ) {
    #expect(duration.wholeNanoseconds == nanoseconds)
  }
}
