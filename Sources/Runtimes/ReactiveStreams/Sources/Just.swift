/// Publishes one value and finishes.
public struct Just<Output: Sendable>: Publisher {
  public typealias Failure = Never

  /// What every subscriber gets.
  public let output: Output

  /// The value is copied to each subscriber that asks.
  @inlinable public init(_ output: Output) { self.output = output }

  @inlinable
  public func receive<S: Subscriber>(subscriber: consuming S) where S.Input == Output, S.Failure == Never {
    let delivery = OnceDelivery { delivery, duty in
      var content = delivery.room.take((S, Output).self)
      if duty == .deliver { content.0.receive(last: content.1) }
    }
    subscriber.receive(subscription: delivery)
    delivery.open((subscriber, output))
  }
}
