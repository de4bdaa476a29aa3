/// Publishes a failure at once.
public struct Fail<Output: Sendable, Failure: Error>: Publisher {
  /// What every subscriber gets.
  public let error: Failure

  /// The types of values follow from where it stands.
  @inlinable public init(error: Failure) { self.error = error }

  /// The same with the type of the values spelled out.
  @inlinable
  public init(outputType: Output.Type, failure: Failure) { error = failure }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    var subscriber = subscriber
    let subscription = SubscriptionSlot()
    subscriber.receive(subscription: subscription)
    if subscription.end() { subscriber.receive(completion: .failure(error)) }
  }
}
