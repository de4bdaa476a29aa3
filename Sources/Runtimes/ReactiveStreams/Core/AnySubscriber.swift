/// A subscriber whose type is hidden.
///
/// Copies share the subscriber behind them.
public struct AnySubscriber<Input: Sendable, Failure: Error>: Subscriber {
  @usableFromInline let box: SubscriberBox<Input, Failure>

  /// Hides the subscriber's type, and moves it to the heap; one that is hidden already is not wrapped again.
  @inlinable
  public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
    if let erased = subscriber as? AnySubscriber<Input, Failure> {
      self = erased
    } else {
      box = ConcreteSubscriberBox(subscriber)
    }
  }

  @inlinable public func receive(subscription: any Subscription) { box.receive(subscription: subscription) }
  @inlinable public func receive(_ input: Input) -> Subscribers.Demand { box.receive(input) }
  @inlinable public func receive(completion: Subscribers.Completion<Failure>) {
    box.receive(completion: completion)
  }
  @inlinable public func receive(last input: Input) { box.receive(last: input) }
}

/// `@unchecked Sendable`: the subscriber in a subclass is mutated by signals only, which never overlap.
@usableFromInline
class SubscriberBox<Input: Sendable, Failure: Error>: @unchecked Sendable {
  @inlinable init() {}
  @inlinable func receive(subscription: any Subscription) {}
  @inlinable func receive(_ input: Input) -> Subscribers.Demand { .none }
  @inlinable func receive(completion: Subscribers.Completion<Failure>) {}
  @inlinable func receive(last input: Input) {}
}

@usableFromInline
final class ConcreteSubscriberBox<S: Subscriber>: SubscriberBox<S.Input, S.Failure>, @unchecked Sendable {
  @usableFromInline @exclusivity(unchecked) var subscriber: S

  @inlinable init(_ subscriber: S) { self.subscriber = subscriber }

  @inlinable override func receive(subscription: any Subscription) {
    subscriber.receive(subscription: subscription)
  }
  @inlinable override func receive(_ input: S.Input) -> Subscribers.Demand { subscriber.receive(input) }
  @inlinable override func receive(completion: Subscribers.Completion<S.Failure>) {
    subscriber.receive(completion: completion)
  }
  @inlinable override func receive(last input: S.Input) { subscriber.receive(last: input) }
}
