/// A source of values over time that sends only what its subscribers have requested.
///
/// Signals follow the Reactive Streams specification 1.0.4: one `receive(subscription:)`, then at most as many values as were
/// requested, then at most one completion. Signals may come from any thread, but never two at a time. That is why publishers,
/// their values and the closures of operators are `Sendable`.
public protocol Publisher<Output, Failure>: Sendable {
  /// The type of the values, which may be sent from any thread.
  associatedtype Output: Sendable
  /// The type of the failure, which is `Never` if the stream cannot fail.
  associatedtype Failure: Error

  /// Attaches a subscriber. Publishers implement this method; users call `subscribe(_:)` instead.
  ///
  /// An implementation must first send `receive(subscription:)`. It may send other signals only after that call has returned,
  /// even if the subscriber calls `request` or `cancel` inside it.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
  /// Attaches a subscriber, which then requests values through its subscription.
  @inlinable
  public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
    receive(subscriber: subscriber)
  }
}

/// A publisher made from another, the upstream. Its output and failure types are the upstream's unless it declares its own.
public protocol Operator: Publisher {
  /// The type of the upstream publisher.
  associatedtype Upstream: Publisher
  associatedtype Output = Upstream.Output
  associatedtype Failure = Upstream.Failure

  /// The upstream publisher. The operator subscribes to it once for each subscriber.
  var upstream: Upstream { get }
}

/// The namespace of the publishers that operators return.
public enum Publishers {}

/// A publisher that sends the values passed to its `send` method, which any thread may call.
public protocol Subject<Output, Failure>: Publisher, AnyObject {
  /// Sends a value to the subscribers.
  func send(_ value: Output)

  /// Ends the stream for all current and future subscribers.
  func send(completion: Subscribers.Completion<Failure>)
}

extension Subject where Output == Void {
  /// Sends an empty value.
  public func send() { send(()) }
}

/// A receiver of a publisher's signals.
///
/// The methods may be `mutating`, because signals never overlap. The publisher's subscription stores a struct subscriber and
/// drops it when the stream ends or is cancelled (rules 1.3 and 3.13 of Reactive Streams).
public protocol Subscriber<Input, Failure>: Sendable {
  /// The type of the values, which must be the publisher's `Output`.
  associatedtype Input: Sendable
  /// The type of the failure, which must be the publisher's `Failure`.
  associatedtype Failure: Error

  /// Receives the subscription, which can request values and cancel. This signal comes first, and only once.
  mutating func receive(subscription: any Subscription)

  /// Receives the subscription and returns the first demand, which saves a call of `request`. The default returns `.none`.
  mutating func receive(starting subscription: consuming any Subscription) -> Subscribers.Demand

  /// Receives a value. Returns the demand to add to earlier requests.
  mutating func receive(_ input: Input) -> Subscribers.Demand

  /// Receives the end of the stream, which is the last signal.
  mutating func receive(completion: Subscribers.Completion<Failure>)

  /// Receives the last value and the successful end in one signal. The default calls `receive(_:)` and `receive(completion:)`.
  mutating func receive(last input: Input)
}

extension Subscriber {
  @inlinable
  public mutating func receive(starting subscription: consuming any Subscription) -> Subscribers.Demand {
    receive(subscription: subscription)
    return .none
  }

  @inlinable public mutating func receive(last input: Input) {
    _ = receive(input)
    receive(completion: .finished)
  }
}

/// The namespace of the types that subscribers exchange with publishers.
public enum Subscribers {}

extension Subscribers {
  /// The end of a stream.
  @frozen public enum Completion<Failure: Error>: Sendable {
    /// The stream has sent all its values.
    case finished
    /// The stream has failed and sends no more values.
    case failure(Failure)
  }
}

extension Subscribers.Completion: Equatable where Failure: Equatable {}

extension Subscribers.Completion {
  /// The failure, or `nil` if the stream has finished.
  @inlinable var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }

  /// This completion with its failure, if any, replaced by the result of `transform`.
  @inlinable
  func mapError<NewFailure>(_ transform: (Failure) -> NewFailure) -> Subscribers.Completion<NewFailure> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(transform(error))
    }
  }
}
