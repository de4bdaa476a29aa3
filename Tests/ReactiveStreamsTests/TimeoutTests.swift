import ReactiveStreams
import TestSupport
import Testing

@Suite("Timeout", .ownThread) struct TimeoutTests {
  @Test func `a value in time starts the clock again; silence is the failure and cancels the upstream`() {
    let scheduler = TestScheduler()
    let upstream = ManualPublisher<Int, TestError>()
    let probe = Probe<Int, TestError>()
    upstream.timeout(.seconds(2), scheduler: scheduler) { TestError(number: 7) }.subscribe(probe)
    probe.request(.unlimited)
    scheduler.advance(by: .seconds(1))
    upstream.send(1)
    scheduler.advance(by: .seconds(1))
    #expect(probe.completion == nil)
    scheduler.advance(by: .seconds(1))
    #expect(probe.values == [1] && probe.completion == .failure(TestError(number: 7)))
    #expect(upstream.cancellations == 1)
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `an interval that has passed fails without a subscription`(interval: Duration) {
    let upstream = ManualPublisher<Int, TestError>()
    let probe = Probe<Int, TestError>()
    upstream.timeout(interval, scheduler: TestScheduler()) { TestError(number: 7) }.subscribe(probe)
    probe.request(.unlimited)
    #expect(probe.completion == .failure(TestError(number: 7)))
    #expect(upstream.requested == Subscribers.Demand.none)
  }

  @Test func `no interval is no limit, and needs no timer`() {
    let scheduler = TestScheduler()
    let upstream = ManualPublisher<Int, TestError>()
    let probe = Probe<Int, TestError>()
    upstream.timeout(nil, scheduler: scheduler) { TestError() }.subscribe(probe)
    probe.request(.unlimited)
    #expect(scheduler.pendingCount == 0 && probe.completion == nil)
  }

  @Test func `an end in time stops the clock`() {
    let scheduler = TestScheduler()
    let upstream = ManualPublisher<Int, TestError>()
    let probe = Probe<Int, TestError>()
    upstream.timeout(.seconds(2), scheduler: scheduler) { TestError() }.subscribe(probe)
    upstream.send(completion: .finished)
    #expect(probe.completion == .finished && scheduler.pendingCount == 0)
  }

  @Test func `a timeout without an error finishes`() {
    let clock = TestScheduler()
    let upstream = ManualPublisher<Int, Never>()
    let probe = Probe<Int, Never>()
    upstream.timeout(.seconds(1), scheduler: clock).subscribe(probe)
    probe.request(.unlimited)
    clock.advance(by: .seconds(1))
    #expect(probe.completion == .finished && upstream.cancellations == 1)
    let none = Probe<Int, Never>()
    upstream.timeout(.zero, scheduler: clock).subscribe(none)
    #expect(none.values == [] && none.completion == .finished)
  }
}
