import ReactiveStreams
import TestSupport
import Testing

@Suite("Subscribe on", .ownThread) struct SubscribeOnTests {
  @Test func `subscriptions and requests happen on the scheduler`() {
    let scheduler = TestScheduler()
    let upstream = ManualPublisher<Int, Never>()
    let probe = Probe<Int, Never>()
    upstream.subscribe(on: scheduler).subscribe(probe)
    probe.request(.max(2))
    #expect(upstream.subscriptions == 0)
    scheduler.advance()
    #expect(upstream.subscriptions == 1 && upstream.requested == .max(2))
  }

  @Test func `after a cancellation before the subscription no signal comes`() {
    let scheduler = TestScheduler()
    let probe = Probe<Int, Never>()
    (0..<3).publisher.subscribe(on: scheduler).subscribe(probe)
    probe.request(.unlimited)
    probe.cancel()
    scheduler.advance()
    #expect(probe.values.isEmpty && probe.completion == nil)
  }
}
