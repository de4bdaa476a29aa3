/// Publishes one value and finishes.
public struct Just<Output: Sendable>: Publisher {
  public typealias Failure = Never

  public let output: Output

  @inlinable public init(_ output: Output) { self.output = output }

  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    var subscriber = subscriber
    let subscription = OnceAction()
    subscriber.receive(subscription: subscription)
    subscription.open { [output, subscriber] in
      var subscriber = subscriber
      subscriber.receive(last: output)
    }
  }
}
