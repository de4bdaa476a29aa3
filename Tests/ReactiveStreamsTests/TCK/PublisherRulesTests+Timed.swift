import Foundation
import ReactiveStreams

/// Publishers that keep values, or wait for a clock.
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
    Case(
      "retry after pauses",
      makeKit: {
        let scheduler = TestScheduler()
        return PublisherVerification(
          settle: { scheduler.advance(by: .seconds(100)) },
          makeFailed: { failed.retry(3, delay: { .seconds($0) }, on: scheduler) },
          make: { failing($0).retry(3, delay: { .seconds($0) }, on: scheduler) })
      }),
    Case("buffer that suspends") { (0..<$0).publisher.buffer(size: 4, whenFull: .suspendUpstream) },
    Case("buffer of one that suspends") { (0..<$0).publisher.buffer(size: 1, whenFull: .suspendUpstream) },
    Case(
      "buffer",
      PublisherVerification(
        makeFailed: { failed.buffer(size: 1, whenFull: .suspendUpstream) },
        make: { failing($0).buffer(size: $0, whenFull: .suspendUpstream) })),
    Case(
      "any",
      PublisherVerification(
        makeFailed: { [failed, failed].any() }, make: { [failed, failing($0)].any() })),
    Case("current value subject", largestCount: 1) { _ in CurrentValueSubject<Int, Never>(1).prefix(1) },
  ]
}
