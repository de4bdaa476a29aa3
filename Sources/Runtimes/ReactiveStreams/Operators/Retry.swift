import RuntimeTiming

extension Publishers {
  /// Subscribes again when the upstream fails, a number of times.
  public struct Retry<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// What is subscribed to for each attempt.
    public let upstream: Upstream
    /// How often at most, after the first attempt.
    public let retries: Int
    let isRetryable: @Sendable (Failure) -> Bool
    /// How long to wait before retry number `n`, from 1, and on what; `nil` for not at all.
    let pause: (@Sendable (Int) -> (any Scheduler, Duration)?)?

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      var subscriber = subscriber
      let relay = Relay()
      subscriber.receive(subscription: relay)
      attempt(1, RelayInput<S, Failure>(downstream: subscriber, relay: relay) { _, _ in })
    }

    private func attempt<S: Subscriber>(_ number: Int, _ last: RelayInput<S, Failure>)
    where S.Input == Output, S.Failure == Failure {
      let next = RelayInput<S, Failure>(
        downstream: last.downstream, relay: last.relay, produced: last.produced, granted: last.granted
      ) { last, completion in
        if case .failure(let error) = completion, number <= retries, isRetryable(error) {
          if let (scheduler, delay) = pause?(number) {
            last.relay.pause(for: delay, on: scheduler) { attempt(number + 1, last) }
          } else {
            attempt(number + 1, last)
          }
        } else {
          var downstream = last.downstream
          downstream.receive(completion: completion)
        }
      }
      last.relay.attempt { [upstream] in upstream.receive(subscriber: next) }
    }
  }
}

extension Publisher {
  /// Subscribes to this publisher again when it fails, at most `retries` times; demand is carried over.
  public func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries, isRetryable: { _ in true }, pause: nil)
  }

  /// Subscribes again after the pause that `delay` says for the number of failures so far, from 1, at most `retries`
  /// times; demand is carried over. Without a pause if that is not positive. Failures for which `isRetryable` is false
  /// come through at once.
  public func retry(
    _ retries: Int, delay: @escaping @Sendable (_ failures: Int) -> Duration, on scheduler: any Scheduler,
    if isRetryable: @escaping @Sendable (Failure) -> Bool = { _ in true }
  ) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries, isRetryable: isRetryable) { number in
      let delay = delay(number)
      return delay > .zero ? (scheduler, delay) : nil
    }
  }

  /// Subscribes again after a pause, which `jitter` shortens; demand is carried over.
  public func retry(
    _ retries: Int, backoff: Backoff, jitter: Jitter = Jitter(share: 0), on scheduler: any Scheduler
  ) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries, isRetryable: { _ in true }) { number in
      (scheduler, jitter.shortened(backoff.delay(afterFailure: number), number: number))
    }
  }

  /// Subscribes again after a pause that doubles from `base` up to `maximum`.
  public func retry(
    _ retries: Int, backoff base: Duration, maximum: Duration = .seconds(60), on scheduler: any Scheduler
  ) -> Publishers.Retry<Self> {
    retry(retries, backoff: Backoff(first: base, longest: maximum), on: scheduler)
  }
}
