import ReactiveStreams
import ReactiveStreamsOperators
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Throttle", .ownThread)
struct ThrottleTests {
  private let scheduler = TestScheduler()
  private let upstream = ManualPublisher<Int, TestError>()
  private let probe = Probe<Int, TestError>()

  @Test(arguments: [(true, [1, 3, 4, 5]), (false, [1, 2, 4, 5])])
  func `the first value comes at once, then one per interval`(_ latest: Bool, _ expected: [Int]) {
    upstream.throttle(for: .seconds(2), scheduler: scheduler, latest: latest).subscribe(probe)
    probe.request(.unlimited)
    for value in 1...3 { upstream.send(value) }
    #expect(probe.values == [1])
    scheduler.advance(by: .seconds(2))
    #expect(probe.values.count == 2)
    upstream.send(4)
    scheduler.advance(by: .seconds(2))
    // An interval without a value: the next one comes at once.
    scheduler.advance(by: .seconds(2))
    upstream.send(5)
    #expect(probe.values == expected)
  }

  @Test(arguments: [(true, 3), (false, 1)])
  func `a value that is due waits for demand, by the rule of the interval`(_ latest: Bool, _ expected: Int) {
    upstream.throttle(for: .seconds(1), scheduler: scheduler, latest: latest).subscribe(probe)
    for value in 1...3 { upstream.send(value) }
    #expect(probe.values == [])
    probe.request(.max(1))
    #expect(probe.values == [expected])
    upstream.send(4)
    scheduler.advance(by: .seconds(5))
    #expect(probe.values == [expected] && probe.violations == [])
  }

  @Test func `the end makes the value that waits due at once and stops the clock`() {
    upstream.throttle(for: .seconds(1), scheduler: scheduler, latest: true).subscribe(probe)
    probe.request(.unlimited)
    upstream.send(1)
    upstream.send(2)
    upstream.send(completion: .finished)
    #expect(probe.values == [1, 2] && probe.completion == .finished && scheduler.pendingCount == 0)
  }
}
