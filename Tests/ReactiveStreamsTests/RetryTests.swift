import ReactiveStreams
import TestSupport
import Testing

@Suite("Retry and catch", .ownThread) struct RetryTests {
  /// Fails `failures` times after `values` values, then publishes them and finishes.
  private final class Flaky: Sendable {
    let attempts = Counter()
    let failures: Int
    init(failures: Int) { self.failures = failures }

    var publisher: Deferred<AnyPublisher<Int, TestError>> {
      Deferred { [self] in
        let attempt = attempts.add()
        guard attempt <= failures else {
          return (0..<3).publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
        }
        return (0..<5).publisher.setFailureType(to: TestError.self).tryMap { value -> Int in
          if value == 2 { throw TestError(number: attempt) }
          return value
        }.mapError { $0 as? TestError ?? TestError() }.eraseToAnyPublisher()
      }
    }
  }

  @Test func `a retry carries over the demand that the failed attempt left`() {
    let flaky = Flaky(failures: 1)
    let probe = Probe<Int, TestError>()
    flaky.publisher.retry(1).subscribe(probe)
    probe.request(.max(4))
    #expect(probe.values == [0, 1, 0, 1])
    probe.request(.max(1))
    #expect(probe.values == [0, 1, 0, 1, 2])
    #expect(probe.completion == .finished && probe.violations == [])
  }

  @Test func `the failure of the last attempt comes through`() {
    let flaky = Flaky(failures: 3)
    let probe = Probe<Int, TestError>()
    flaky.publisher.retry(2).subscribe(probe)
    probe.request(.unlimited)
    #expect(probe.completion == .failure(TestError(number: 3)))
  }

  @Test func `a hundred thousand retries of a publisher that fails at once need no deep stack`() {
    let probe = Probe<Int, TestError>()
    Fail<Int, TestError>(error: TestError()).retry(100_000).subscribe(probe)
    #expect(probe.completion == .failure(TestError()))
  }

  @Test func `pauses are as long as the delay says, and a failure that is not retryable comes through`() {
    let scheduler = TestScheduler()
    let flaky = Flaky(failures: 5)
    let probe = Probe<Int, TestError>()
    flaky.publisher
      .retry(5, delay: { .seconds($0 == 2 ? 0 : $0) }, on: scheduler, if: { $0.number < 4 })
      .subscribe(probe)
    probe.request(.unlimited)
    #expect(flaky.attempts.current == 1)
    scheduler.advance(by: .seconds(1))
    #expect(flaky.attempts.current == 3)
    scheduler.advance(by: .seconds(3))
    #expect(flaky.attempts.current == 4)
    #expect(probe.completion == .failure(TestError(number: 4)) && scheduler.pendingCount == 0)
  }

  @Test func `a cancellation during a pause means no further attempt`() {
    let scheduler = TestScheduler()
    let flaky = Flaky(failures: 5)
    let probe = Probe<Int, TestError>()
    flaky.publisher.retry(5, delay: { _ in .seconds(1) }, on: scheduler).subscribe(probe)
    probe.request(.unlimited)
    probe.cancel()
    scheduler.advance(by: .seconds(10))
    #expect(flaky.attempts.current == 1)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `catch carries the demand over`() {
    let probe = Probe<Int, Never>()
    Flaky(failures: 1).publisher.catch { _ in (10..<20).publisher }.subscribe(probe)
    probe.request(.max(3))
    #expect(probe.values == [0, 1, 10])
    #expect(probe.violations == [])
  }
}
