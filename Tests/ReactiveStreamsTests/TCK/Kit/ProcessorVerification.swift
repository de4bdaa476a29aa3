import ReactiveStreams

/// The rules for processors (4.1, 4.2), run against an operator. `PublisherVerification` and `subscriber` have the rules of its two
/// sides.
struct ProcessorVerification<Input: Sendable, Failure: Error, P: Publisher>: Verification {
  /// Whether it requests values ahead of its subscribers, as `flatMap` does to start its inner publishers.
  var requestsAhead = false
  /// Makes a failure; `nil` where there can be none.
  var makeFailure: (@Sendable () -> Failure)?
  let makeValue: @Sendable () -> Input
  /// Makes the processor between a publisher and its subscribers.
  let apply: @Sendable (AnyPublisher<Input, Failure>) -> P

  /// The rules for the upstream's side, with a subscriber of unlimited demand behind the processor.
  func subscriber() -> SubscriberVerification<Input, Failure> {
    SubscriberVerification(makeFailure: makeFailure, makeValue: makeValue) { [apply] upstream, user in
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
    return probe
  }
}

extension ProcessorVerification {
  static var rules: [Rule] {
    [
      Rule(name: "4.1 demand goes up") { kit in
        let upstream = Upstream()
        let probe = kit.subscribe(upstream)
        let before = upstream.requested
        probe.request(.max(1))
        let hasArrived = upstream.requested > .none
        return kit.expect(
          kit.requestsAhead || before == .none, "4.1", "\(before) was requested without demand")
          + kit.expect(hasArrived, "4.1", "the subscriber's demand did not reach the upstream")
          + probe.violations
      },
      Rule(name: "4.1 a cancellation goes up") { kit in
        let upstream = Upstream()
        let probe = kit.subscribe(upstream)
        probe.request(.max(1))
        probe.cancel()
        let count = upstream.cancellations
        return kit.expect(count == 1, "4.1", "\(count) cancellations reached the upstream") + probe.violations
      },
      Rule(name: "4.2 a failure goes down at once, with or without demand") { kit in
        guard let makeFailure = kit.makeFailure else { return [] }
        return [false, true].flatMap { requests in
          let upstream = Upstream()
          let probe = kit.subscribe(upstream)
          if requests { probe.request(.max(1)) }
          upstream.send(completion: .failure(makeFailure()))
          if case .failure = probe.completion { return probe.violations }
          return [Violation(rule: "4.2", "no failure \(requests ? "after" : "without") a request")]
        }
      },
    ]
  }
}
