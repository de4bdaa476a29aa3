/// Publishes no value: finishes at once, or never.
public struct Empty<Output: Sendable, Failure: Error>: Publisher {
  public let completeImmediately: Bool

  @inlinable
  public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    var subscriber = subscriber
    if completeImmediately {
      let subscription = SubscriptionSlot()
      subscriber.receive(subscription: subscription)
      if subscription.end() { subscriber.receive(completion: .finished) }
    } else {
      OnceSubscription(subscriber).begin()
    }
  }
}
