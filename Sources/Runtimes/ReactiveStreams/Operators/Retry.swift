import RuntimeTiming

extension Publishers {
  /// Subscribes again when the upstream fails, a number of times.
  public struct Retry<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    /// How often at most, after the first attempt.
    public let retries: Int
    /// How long to wait before retry number `n`, from 1, and on what; `nil` for not at all.
    let pause: (@Sendable (Int) -> (any Scheduler, Duration))?

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
        if case .failure = completion, number <= retries {
          if let (scheduler, delay) = pause?(number) {
            let pause = SubscriptionSlot()
            last.relay.follow(pause, produced: 0, granted: .none)
            let timer = scheduler.schedule(after: delay) { attempt(number + 1, last) }
            _ = pause.keep(Pause(timer))
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
    Publishers.Retry(upstream: self, retries: retries, pause: nil)
  }

  /// Subscribes again after a pause, which `jitter` shortens; demand is carried over.
  public func retry(
    _ retries: Int, backoff: Backoff, jitter: Jitter = Jitter(share: 0), on scheduler: any Scheduler
  ) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries) { number in
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

/// A pause between two attempts: cancelling it means the next attempt never comes.
private final class Pause: Subscription {
  private let timer: AnyCancellable
  init(_ timer: AnyCancellable) { self.timer = timer }
  func request(_ demand: Subscribers.Demand) {}
  func cancel() { timer.cancel() }
}
