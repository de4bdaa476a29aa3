/// Publishes no value: finishes at once, or never.
public struct Empty<Output: Sendable, Failure: Error>: Publisher {
  /// Whether it finishes at once; otherwise it never ends.
  public let completeImmediately: Bool

  /// Finishes, or never ends.
  @inlinable public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }

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

/// Publishes a failure at once.
public struct Fail<Output: Sendable, Failure: Error>: Publisher {
  /// What every subscriber gets.
  public let error: Failure

  /// The types of values follow from where it stands.
  @inlinable public init(error: Failure) { self.error = error }

  /// The same with the type of the values spelled out.
  @inlinable public init(outputType: Output.Type, failure: Failure) { error = failure }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    var subscriber = subscriber
    let subscription = SubscriptionSlot()
    subscriber.receive(subscription: subscription)
    if subscription.end() { subscriber.receive(completion: .failure(error)) }
  }
}

/// Makes a publisher for each subscriber, when it subscribes.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  public typealias Output = DeferredPublisher.Output
  public typealias Failure = DeferredPublisher.Failure

  /// Called once per subscriber, on the thread that subscribes.
  public let createPublisher: @Sendable () -> DeferredPublisher

  /// Nothing is made yet.
  @inlinable
  public init(createPublisher: @escaping @Sendable () -> DeferredPublisher) {
    self.createPublisher = createPublisher
  }

  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    createPublisher().receive(subscriber: subscriber)
  }
}
