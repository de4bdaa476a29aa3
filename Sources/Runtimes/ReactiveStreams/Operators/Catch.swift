extension Publishers {
  /// Goes over to another publisher when the upstream fails.
  public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where NewPublisher.Output == Upstream.Output {
    public typealias Output = Upstream.Output
    public typealias Failure = NewPublisher.Failure

    /// What is subscribed to, anew for each subscriber.
    public let upstream: Upstream
    /// Makes what is gone over to; called at most once per subscriber, on the thread that failed.
    public let handler: @Sendable (Upstream.Failure) -> NewPublisher

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      var subscriber = subscriber
      let relay = Relay()
      subscriber.receive(subscription: relay)
      upstream.receive(
        subscriber: RelayInput<S, Upstream.Failure>(downstream: subscriber, relay: relay) {
          last, completion in
          switch completion {
          case .finished:
            var downstream = last.downstream
            downstream.receive(completion: .finished)
          case .failure(let error):
            handler(error).receive(
              subscriber: RelayInput<S, Failure>(
                downstream: last.downstream, relay: relay, produced: last.produced, granted: last.granted
              ) { last, completion in
                var downstream = last.downstream
                downstream.receive(completion: completion)
              })
          }
        })
    }
  }
}

extension Publisher {
  /// Goes over to the publisher that `handler` makes when this one fails; demand is carried over.
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
