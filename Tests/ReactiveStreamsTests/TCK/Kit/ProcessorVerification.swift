import ReactiveStreams
import Synchronization

/// The rules for processors (4.1, 4.2), run against an operator, or a subject that is subscribed to a publisher. Those of
/// its two faces are the affair of a `PublisherVerification` and of `subscriber`.
struct ProcessorVerification<Input: Sendable, Failure: Error, P: Publisher>: Verification {
  /// Whether it asks its upstream ahead of its subscribers, as `flatMap` does to start its inner publishers.
  var asksAhead = false
  /// Makes everything that is under way happen.
  var settle: @Sendable () -> Void = {}
  /// Makes a failure; `nil` where there can be none.
  var makeFailure: (@Sendable () -> Failure)?
  /// Makes a value to send through it.
  let makeValue: @Sendable () -> Input
  /// Makes the processor between a publisher and its subscribers.
  let apply: @Sendable (AnyPublisher<Input, Failure>) -> P

  /// The rules for the face that the upstream sees, with a subscriber behind the processor that wants everything.
  func subscriber(largestCount: Int = .max) -> SubscriberVerification<Input, Failure> {
    SubscriberVerification(
      largestCount: largestCount, makeFailure: makeFailure, makeValue: makeValue
    ) { [apply] upstream, user in
      let sink = apply(upstream).sink { _ in
        user.end()
      } receiveValue: { _ in
        user.receive()
      }
      return .init { sink.cancel() }
    }
  }

  typealias TestProbe = Probe<P.Output, P.Failure>
  typealias Upstream = ManualPublisher<Input, Failure>

  func subscribe(_ upstream: Upstream) -> TestProbe {
    let probe = TestProbe()
    apply(upstream.eraseToAnyPublisher()).subscribe(probe)
    settle()
    return probe
  }
}

extension ProcessorVerification {
  /// All rules, in the order of the specification.
  static var rules: [Rule] {
    [
      Rule(name: "4.1 what is asked for downstream is asked for upstream") { kit in
        let upstream = Upstream()
        let probe = kit.subscribe(upstream)
        let before = upstream.requested
        probe.request(.max(1))
        kit.settle()
        let hasArrived = upstream.requested > .none
        return kit.expect(
          kit.asksAhead || before == .none, "4.1", "\(before) was asked for before the subscriber asked")
          + kit.expect(hasArrived, "4.1", "the subscriber's demand did not reach the upstream")
          + probe.violations
      },
      Rule(name: "4.1 a cancellation goes up") { kit in
        let upstream = Upstream()
        let probe = kit.subscribe(upstream)
        probe.request(.max(1))
        probe.cancel()
        kit.settle()
        let count = upstream.cancellations
        return kit.expect(count == 1, "4.1", "\(count) cancellations reached the upstream") + probe.violations
      },
      Rule(name: "4.2 a failure goes down at once, asked for or not") { kit in
        guard let makeFailure = kit.makeFailure else { return [] }
        return [false, true].flatMap { asks in
          let upstream = Upstream()
          let probe = kit.subscribe(upstream)
          if asks { probe.request(.max(1)) }
          kit.settle()
          upstream.send(completion: .failure(makeFailure()))
          kit.settle()
          if case .failure = probe.completion { return probe.violations }
          return [Violation(rule: "4.2", "no failure \(asks ? "after" : "without") a request")]
        }
      },
    ]
  }
}
