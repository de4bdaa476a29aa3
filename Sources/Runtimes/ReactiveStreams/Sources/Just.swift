import RuntimeSupport

/// Publishes one value and finishes.
public struct Just<Output: Sendable>: Publisher {
  public typealias Failure = Never

  /// The value for every subscriber.
  public let output: Output

  /// The value is copied to each subscriber with demand.
  @inlinable public init(_ output: Output) { self.output = output }

  @inlinable
  public func receive<S: Subscriber>(subscriber: consuming S) where S.Input == Output, S.Failure == Never {
    let delivery = OnceDelivery { delivery, duty in
      var content = delivery.content.take((S, Output).self)
      if duty == .deliver { content.0.receive(last: content.1) }
    }
    subscriber.receive(subscription: delivery)
    delivery.open((subscriber, output))
  }
}

/// Delivers its content on the first demand. It knows no types, but has a closure compiled for them, which avoids the generic
/// code that a subscription is otherwise reached through.
///
/// `@unchecked Sendable`: `content` is filled before the gate opens, and belongs to the one call to which the gate returns
/// `deliver` or `drop`.
@usableFromInline final class OnceDelivery: Subscription, @unchecked Sendable {
  @usableFromInline let gate = OnceGate(isResolved: true)
  @usableFromInline @exclusivity(unchecked) var isHolding = false
  @usableFromInline @exclusivity(unchecked) var content = InlineStorage((0, 0, 0, 0))
  /// Delivers the content, or drops it.
  @usableFromInline let finish: (OnceDelivery, OnceGate.Duty) -> Void

  @inlinable init(finish: @escaping (OnceDelivery, OnceGate.Duty) -> Void) { self.finish = finish }

  deinit { if isHolding { finish(self, .drop) } }

  /// Ends the setup phase. Called once, after `receive(subscription:)`.
  @inlinable func open<Content>(_ content: consuming Content) {
    self.content.put(content)
    isHolding = true
    perform(gate.open())
  }

  @usableFromInline func request(_ demand: Subscribers.Demand) { perform(gate.request(demand).duty) }

  @usableFromInline func cancel() { perform(gate.cancel().duty) }

  @inlinable func perform(_ duty: OnceGate.Duty) {
    if duty == .nothing { return }
    isHolding = false
    finish(self, duty)
  }
}

/// Publishes no value: finishes at once, or never.
public struct Empty<Output: Sendable, Failure: Error>: Publisher {
  /// Whether it finishes at once; otherwise it never ends.
  public let completeImmediately: Bool

  /// Finishes, or never ends.
  @inlinable public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if completeImmediately {
      end(subscriber, .finished)
    } else {
      OnceSubscription(subscriber).begin()
    }
  }
}

/// Publishes a failure at once.
public struct Fail<Output: Sendable, Failure: Error>: Publisher {
  /// The failure for every subscriber.
  public let error: Failure

  /// Infers the type of the values.
  @inlinable public init(error: Failure) { self.error = error }

  /// Takes the type of the values explicitly.
  @inlinable public init(outputType: Output.Type, failure: Failure) { error = failure }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    end(subscriber, .failure(error))
  }
}

/// Sends an end, unless the subscriber cancels before.
private func end<S: Subscriber>(_ subscriber: S, _ completion: Subscribers.Completion<S.Failure>) {
  var subscriber = subscriber
  let subscription = SubscriptionSlot()
  subscriber.receive(subscription: subscription)
  if subscription.end() { subscriber.receive(completion: completion) }
}

/// Makes a publisher for each subscriber, when it subscribes.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  public typealias Output = DeferredPublisher.Output
  public typealias Failure = DeferredPublisher.Failure

  /// Called once per subscriber, on the thread that subscribes.
  public let createPublisher: @Sendable () -> DeferredPublisher

  /// Makes nothing yet.
  @inlinable public init(createPublisher: @escaping @Sendable () -> DeferredPublisher) {
    self.createPublisher = createPublisher
  }

  @inlinable public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    createPublisher().receive(subscriber: subscriber)
  }
}
