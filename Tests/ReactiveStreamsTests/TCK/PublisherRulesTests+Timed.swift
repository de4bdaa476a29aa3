import Foundation
import ReactiveStreams
import ReactiveStreamsOperators
import ReactiveStreamsTCK

/// What keeps values, or waits for a clock.
extension PublisherRulesTests {
  static let timed: [Case] = [
    Case(
      "timer",
      makeKit: {
        let scheduler = TestScheduler()
        return PublisherVerification(
          largestCount: 20, settle: { scheduler.advance(by: .seconds(40)) },
          make: { Publishers.Timer(every: .seconds(1), on: scheduler).prefix($0) })
      }),
    Case(
      "timer on a queue",
      makeKit: {
        PublisherVerification(
          largestCount: 5,
          make: { Publishers.Timer(every: .milliseconds(1), on: DispatchQueue.global()).prefix($0) })
      }),
    Case("debounce", makeKit: { virtual { $0.debounce(for: .seconds(1), scheduler: $1) } }),
    Case("throttle", makeKit: { virtual { $0.throttle(for: .seconds(1), scheduler: $1, latest: true) } }),
    Case(
      "throttle to the first",
      makeKit: {
        virtual { $0.throttle(for: .seconds(1), scheduler: $1, latest: false) }
      }),
    Case(
      "delay",
      makeKit: {
        let scheduler = TestScheduler()
        return PublisherVerification(
          settle: { scheduler.advance(by: .seconds(10_000)) },
          makeFailed: {
            Fail<Int, TestError>(error: TestError()).eraseToAnyPublisher()
              .delay(for: .seconds(1), scheduler: scheduler)
          },
          make: { failing($0).delay(for: .seconds(1), scheduler: scheduler) })
      }),
    Case(
      "retry after pauses",
      makeKit: {
        let scheduler = TestScheduler()
        let jitter = Jitter(share: 0.5, seed: 1)
        return PublisherVerification(
          settle: { scheduler.advance(by: .seconds(100)) },
          makeFailed: {
            Fail<Int, TestError>(error: TestError()).eraseToAnyPublisher()
              .retry(3, backoff: Backoff(first: .seconds(1)), jitter: jitter, on: scheduler)
          },
          make: { failing($0).retry(3, backoff: Backoff(first: .seconds(1)), jitter: jitter, on: scheduler) })
      }),
    Case("buffer that suspends") { (0..<$0).publisher.buffer(size: 4, whenFull: .suspendUpstream) },
    Case("buffer of one that suspends") { (0..<$0).publisher.buffer(size: 1, whenFull: .suspendUpstream) },
    Case(
      "buffer",
      PublisherVerification(
        makeFailed: {
          Fail<Int, TestError>(error: TestError()).eraseToAnyPublisher()
            .buffer(size: 1, whenFull: .dropOldest)
        },
        make: { failing($0).buffer(size: $0, whenFull: .fail { TestError(number: 1) }) })),
    Case("receive(on: operation queue)") { count in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      return (0..<count).publisher.receive(on: queue)
    },
    Case(
      "any",
      PublisherVerification(
        makeFailed: {
          [Fail<Int, TestError>(error: TestError()), Fail<Int, TestError>(error: TestError())]
            .map { $0.eraseToAnyPublisher() }.any()
        },
        make: { [Fail<Int, TestError>(error: TestError()).eraseToAnyPublisher(), failing($0)].any() })),
    Case("current value subject", largestCount: 1) { _ in CurrentValueSubject<Int, Never>(1).prefix(1) },
    Case("buffered subject") { count in
      Deferred {
        let subject = BufferedSubject<Int, Never>(size: count, whenFull: .dropNewest)
        for value in 0..<count { subject.send(value) }
        subject.send(completion: .finished)
        return subject
      }
    },
  ]

  /// A kit for an operator that makes one value of five, on virtual time.
  private static func virtual<P: Publisher>(
    _ timed: @escaping @Sendable (AnyPublisher<Int, TestError>, TestScheduler) -> P
  ) -> PublisherVerification<P> {
    let scheduler = TestScheduler()
    return PublisherVerification(
      largestCount: 1, settle: { scheduler.advance(by: .seconds(10)) },
      makeFailed: { timed(Fail(error: TestError()).eraseToAnyPublisher(), scheduler) },
      make: { _ in timed(failing(1), scheduler) })
  }
}
