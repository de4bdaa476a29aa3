extension Publishers {
  /// Subscribes again when the upstream fails, a number of times.
  public struct Retry<Upstream: Publisher>: Operator {
    /// Subscribed to for each attempt.
    public let upstream: Upstream
    /// How often at most, after the first attempt.
    public let retries: Int
    let isRetryable: @Sendable (Failure) -> Bool
    /// How long to wait before retry number `n`, from 1, and on which scheduler; `nil` for no pause.
    let pause: (@Sendable (Int) -> (any Scheduler, Duration)?)?

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      attempt(1, RelayInput<S, Failure>.begin(subscriber) { _, _ in })
    }

    private func attempt<S: Subscriber>(_ number: Int, _ last: RelayInput<S, Failure>)
    where S.Input == Output, S.Failure == Failure {
      let next: RelayInput<S, Failure> = last.successor { last, completion in
        if let error = completion.error, number <= retries, isRetryable(error) {
          if let (scheduler, delay) = pause?(number) {
            last.relay.pause(for: delay, on: scheduler) { attempt(number + 1, last) }
          } else {
            attempt(number + 1, last)
          }
        } else {
          last.end(completion)
        }
      }
      last.relay.attempt { [upstream] in upstream.receive(subscriber: next) }
    }
  }

  /// Switches to another publisher when the upstream fails.
  public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Operator
  where NewPublisher.Output == Upstream.Output {
    public typealias Failure = NewPublisher.Failure

    public let upstream: Upstream
    /// Makes the other publisher; called at most once per subscriber, on the thread that failed.
    public let handler: @Sendable (Upstream.Failure) -> NewPublisher

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let input = RelayInput<S, Upstream.Failure>.begin(subscriber) { last, completion in
        guard let error = completion.error else { return last.end(.finished) }
        let next: RelayInput<S, Failure> = last.successor { $0.end($1) }
        handler(error).receive(subscriber: next)
      }
      upstream.receive(subscriber: input)
    }
  }
}

extension Publisher {
  /// Subscribes to this publisher again when it fails, at most `retries` times; demand is carried over.
  public func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries, isRetryable: { _ in true }, pause: nil)
  }

  /// Subscribes again after a pause, at most `retries` times; demand is carried over. `delay` gives the pause for the number of
  /// failures so far, from 1; none if it is not positive. Failures for which `isRetryable` is false come through at once.
  public func retry(
    _ retries: Int, delay: @escaping @Sendable (_ failures: Int) -> Duration, on scheduler: any Scheduler,
    if isRetryable: @escaping @Sendable (Failure) -> Bool = { _ in true }
  ) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries, isRetryable: isRetryable) { number in
      let delay = delay(number)
      return delay > .zero ? (scheduler, delay) : nil
    }
  }

  /// Switches to the publisher that `handler` makes when this one fails; demand is carried over.
  public func `catch`<P: Publisher>(
    _ handler: @escaping @Sendable (Failure) -> P
  ) -> Publishers.Catch<Self, P> where P.Output == Output {
    Publishers.Catch(upstream: self, handler: handler)
  }

  /// Publishes one value in place of a failure.
  public func replaceError(with output: Output) -> Publishers.Catch<Self, Just<Output>> {
    self.catch { _ in Just(output) }
  }
}
