extension Publishers {
  /// Subscribes again when the upstream fails, a number of times.
  public struct Retry<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    /// How often at most, after the first attempt.
    public let retries: Int
    /// The pause before retry number `n`, from 1; `nil` for none.
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
            _ = pause.keep(AnyCancellableSubscription(timer))
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

  /// Subscribes again after a pause that doubles from `base` up to `maximum`.
  public func retry(
    _ retries: Int, backoff base: Duration, maximum: Duration = .seconds(60), on scheduler: any Scheduler
  ) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries) { number in
      (scheduler, min(maximum, base * (1 << min(number - 1, 30))))
    }
  }
}

/// A pause between two attempts: cancelling it means the next attempt never comes.
private final class AnyCancellableSubscription: Subscription {
  private let cancellable: AnyCancellable
  init(_ cancellable: AnyCancellable) { self.cancellable = cancellable }
  func request(_ demand: Subscribers.Demand) {}
  func cancel() { cancellable.cancel() }
}
