/// Publishes no value: finishes at once, or never.
public struct Empty<Output: Sendable, Failure: Error>: Publisher {
  /// Whether it finishes at once; otherwise it never ends.
  public let completeImmediately: Bool

  /// - Parameter completeImmediately: false for a stream that never ends.
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
