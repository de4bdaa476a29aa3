import RuntimeSupport

/// A publisher whose type is hidden. Each signal needs one more dynamic call.
///
/// Subscribing, signals and the release of a subscription are nested calls through all operators. An erased `map` needs about
/// 240 bytes of stack (36 000 of them fill 8 MiB), and about 1 KiB in a debug build.
public struct AnyPublisher<Output: Sendable, Failure: Error>: Publisher {
  @usableFromInline let erased: ErasedPublisher<Output, Failure>

  /// Hides the publisher's type. An `AnyPublisher` is not wrapped again.
  @inlinable public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let erased = publisher as? AnyPublisher<Output, Failure> {
      self = erased
    } else {
      erased = ErasedPublisher { publisher.receive(subscriber: $0) }
    }
  }

  @inlinable public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    erased.attach?(AnySubscriber(subscriber))
  }
}

extension Publisher {
  /// Hides the type of this publisher.
  @inlinable public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}

/// The subscribing closure of a type-erased publisher. Publishers nested to any depth are freed in a bounded amount of stack.
///
/// `@unchecked Sendable`: only `init` and `deinit` write `attach`, the closure.
@usableFromInline final class ErasedPublisher<Output: Sendable, Failure: Error>: @unchecked Sendable {
  @usableFromInline typealias Attach = @Sendable (AnySubscriber<Output, Failure>) -> Void

  @usableFromInline @exclusivity(unchecked) var attach: Attach?

  @inlinable init(_ attach: @escaping Attach) { self.attach = attach }

  deinit {
    Nesting.release {
      attach = nil
    } orHold: {
      attach.take() as Any
    }
  }
}

/// A subscriber whose type is hidden. All copies refer to the same subscriber.
public struct AnySubscriber<Input: Sendable, Failure: Error>: Subscriber {
  @usableFromInline let box: SubscriberBox<Input, Failure>

  /// Hides the subscriber's type and moves the subscriber to the heap. An `AnySubscriber` is not wrapped again.
  @inlinable public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
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

/// `@unchecked Sendable`: only signals, which never overlap, mutate the subscriber that the subclass stores.
@usableFromInline class SubscriberBox<Input: Sendable, Failure: Error>: @unchecked Sendable {
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
