import ReactiveStreams

extension Publisher {
  /// Calls back when the subscriber has its subscription.
  func whenSubscribed(_ action: @escaping @Sendable () -> Void) -> WhenSubscribed<Self> {
    WhenSubscribed(upstream: self, action: action)
  }
}

struct WhenSubscribed<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let action: @Sendable () -> Void

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(Input(downstream: subscriber, action: action))
  }

  private struct Input<Downstream: Subscriber>: Subscriber {
    typealias Input = Downstream.Input
    typealias Failure = Downstream.Failure

    var downstream: Downstream
    let action: @Sendable () -> Void

    mutating func receive(subscription: any Subscription) {
      downstream.receive(subscription: subscription)
      action()
    }
    mutating func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }
    mutating func receive(completion: Subscribers.Completion<Failure>) {
      downstream.receive(completion: completion)
    }
  }
}
