import RuntimeSupport

/// A publisher that sends one value and then finishes.
public struct Just<Output: Sendable>: Publisher {
  public typealias Failure = Never

  /// The value that each subscriber receives.
  public let output: Output

  /// Creates a publisher that sends the value to each subscriber with demand.
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

/// A subscription that sends one value on the first demand. `content` consists of the subscriber and the value. Not generic,
/// because calls through `any Subscription` would run slow generic code. The closure `finish` is specialised for their types.
///
/// `@unchecked Sendable`: `content` is filled before the gate opens, and then owned by the one call that delivers or drops it.
@usableFromInline final class OnceDelivery: Subscription, @unchecked Sendable {
  @usableFromInline let gate = OnceGate(isResolved: true)
  @usableFromInline @exclusivity(unchecked) var isHolding = false
  @usableFromInline @exclusivity(unchecked) var content = InlineStorage((0, 0, 0, 0))
  @usableFromInline let finish: (OnceDelivery, OnceGate.Duty) -> Void

  @inlinable init(finish: @escaping (OnceDelivery, OnceGate.Duty) -> Void) { self.finish = finish }

  deinit { if isHolding { finish(self, .drop) } }

  /// Stores the content: the subscriber and its value. Called once, after `receive(subscription:)`.
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

/// A publisher without values, which finishes immediately or never.
public struct Empty<Output: Sendable, Failure: Error>: Publisher {
  /// Whether the stream finishes immediately. If not, it never ends.
  public let completeImmediately: Bool

  /// Creates a publisher that finishes immediately or never.
  @inlinable public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if completeImmediately {
      end(subscriber, .finished)
    } else {
      OnceSubscription(subscriber).begin()
    }
  }
}

/// A publisher that fails immediately.
public struct Fail<Output: Sendable, Failure: Error>: Publisher {
  /// The failure that each subscriber receives.
  public let error: Failure

  /// Creates a publisher whose output type is inferred.
  @inlinable public init(error: Failure) { self.error = error }

  /// Creates a publisher with an explicit output type.
  @inlinable public init(outputType: Output.Type, failure: Failure) { error = failure }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    end(subscriber, .failure(error))
  }
}

/// Subscribes, then immediately sends the completion, unless the subscriber cancels before that.
private func end<S: Subscriber>(_ subscriber: S, _ completion: Subscribers.Completion<S.Failure>) {
  var subscriber = subscriber
  let subscription = SubscriptionSlot()
  subscriber.receive(subscription: subscription)
  if subscription.end() { subscriber.receive(completion: completion) }
}

/// A publisher that makes another publisher for each new subscriber.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  public typealias Output = DeferredPublisher.Output
  public typealias Failure = DeferredPublisher.Failure

  /// Called once per subscriber, on the thread that subscribes.
  public let createPublisher: @Sendable () -> DeferredPublisher

  /// Creates a publisher that calls the closure for each new subscriber.
  @inlinable public init(createPublisher: @escaping @Sendable () -> DeferredPublisher) {
    self.createPublisher = createPublisher
  }

  @inlinable public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    createPublisher().receive(subscriber: subscriber)
  }
}
