extension Publishers {
  /// Subscribes again when the upstream fails, up to a number of times.
  public struct Retry<Upstream: Publisher>: Operator {
    /// The publisher that each attempt subscribes to.
    public let upstream: Upstream
    /// The largest number of attempts after the first one.
    public let retries: Int
    let isRetryable: @Sendable (Failure) -> Bool
    /// The scheduler and the duration of the pause after the n-th failure. `nil` means no pause.
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
    /// Makes the other publisher. Called at most once per subscriber, on the thread that sends the failure.
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
  /// Subscribes to this publisher again when it fails, at most `retries` times. Demand that is not yet met is requested again.
  public func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries, isRetryable: { _ in true }, pause: nil)
  }

  /// Subscribes to this publisher again after a failure and a pause, at most `retries` times. `delay(n)` is the pause after the
  /// n-th failure; a pause of zero or less is skipped. A failure for which `isRetryable` is false ends the stream immediately.
  public func retry(
    _ retries: Int, delay: @escaping @Sendable (_ failures: Int) -> Duration, on scheduler: any Scheduler,
    if isRetryable: @escaping @Sendable (Failure) -> Bool = { _ in true }
  ) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries, isRetryable: isRetryable) { number in
      let delay = delay(number)
      return delay > .zero ? (scheduler, delay) : nil
    }
  }

  /// Switches to the publisher that `handler` makes when this publisher fails. Demand that is not yet met is requested again.
  public func `catch`<P: Publisher>(
    _ handler: @escaping @Sendable (Failure) -> P
  ) -> Publishers.Catch<Self, P> where P.Output == Output {
    Publishers.Catch(upstream: self, handler: handler)
  }

  /// Replaces a failure with one last value.
  public func replaceError(with output: Output) -> Publishers.Catch<Self, Just<Output>> {
    self.catch { _ in Just(output) }
  }
}
