/// Publishes a failure at once.
public struct Fail<Output: Sendable, Failure: Error>: Publisher {
  public let error: Failure

  @inlinable public init(error: Failure) { self.error = error }

  @inlinable
  public init(outputType: Output.Type, failure: Failure) { error = failure }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    var subscriber = subscriber
    let subscription = SubscriptionSlot()
    subscriber.receive(subscription: subscription)
    if subscription.end() { subscriber.receive(completion: .failure(error)) }
  }
}
