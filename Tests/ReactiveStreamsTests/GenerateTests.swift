import ReactiveStreams
import TestSupport
import Testing

@Suite("Generate and delayed subscriptions", .ownThread) struct GenerateTests {
  private final class Source: Sendable {
    let calls = Counter()
    func next() -> Int? {
      let number = calls.add()
      return number <= 3 ? number : nil
    }
  }

  @Test func `the source is opened and called on demand, not ahead`() {
    let opened = Counter()
    let source = Source()
    let probe = Probe<Int, any Error>()
    Publishers.Generate(
      from: {
        opened.add()
        return source
      }, next: { $0.next() }
    ).subscribe(probe)
    #expect(opened.current == 0)
    probe.request(.max(2))
    #expect(opened.current == 1 && source.calls.current == 2)
    probe.request(.unlimited)
    #expect(probe.values == [1, 2, 3] && probe.violations == [])
    #expect(probe.completion != nil && probe.failure == nil)
  }

  @Test func `the source's error is the failure`() {
    let probe = Probe<Int, any Error>()
    Publishers.Generate(from: { throw TestError(number: 3) }, next: { (source: Source) in source.next() })
      .subscribe(probe)
    probe.request(.max(1))
    #expect(probe.failure as? TestError == TestError(number: 3))
  }

  @Test func `many values that request the next need no deep stack`() async throws {
    let most = Effort.count(100_000, thorough: 1_000_000)
    let count = Counter()
    let last = Publishers.Generate(from: { 0 }) { _ -> Int? in
      let number = count.add()
      return number <= most ? number : nil
    }.reduce(0) { max($0, $1) }
    #expect(try await last.value == most)
  }

  @Test func `a delayed subscription begins after its delay, and never once it is cancelled`() {
    let scheduler = TestScheduler()
    let upstream = ManualPublisher<Int, TestError>()
    let probe = Probe<Int, TestError>()
    upstream.delaySubscription(for: .seconds(1), scheduler: scheduler).subscribe(probe)
    probe.request(.max(2))
    #expect(upstream.requested == Subscribers.Demand.none)
    scheduler.advance(by: .seconds(1))
    #expect(upstream.requested == .max(2))
    upstream.send(5)
    #expect(probe.values == [5])
    let other = Probe<Int, TestError>()
    upstream.delaySubscription(for: .seconds(3600), scheduler: scheduler).subscribe(other)
    other.cancel()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `without a delay the subscription begins here and now`() {
    let upstream = ManualPublisher<Int, TestError>()
    let probe = Probe<Int, TestError>()
    upstream.delaySubscription(for: .zero, scheduler: TestScheduler()).subscribe(probe)
    probe.request(.max(1))
    #expect(upstream.requested == .max(1))
  }
}
