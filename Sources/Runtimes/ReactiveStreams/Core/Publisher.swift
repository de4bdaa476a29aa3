/// A source of values over time that sends only what its subscribers have requested.
///
/// Signals follow the Reactive Streams specification 1.0.4: one `receive(subscription:)`, then at most as many values as were
/// requested, then at most one completion; never two signals at a time, from any threads. That is why publishers, their values
/// and the closures of operators are `Sendable`.
public protocol Publisher<Output, Failure>: Sendable {
  /// The type of the values, which may cross threads.
  associatedtype Output: Sendable
  /// The type of the failure; `Never` if the stream cannot fail.
  associatedtype Failure: Error

  /// Attaches a subscriber. Call `subscribe(_:)`; implement this.
  ///
  /// An implementation must send `receive(subscription:)` before any other signal, and must not let `request` or `cancel`
  /// inside that call send a signal before it has returned: signals mutate a subscriber, and two may not overlap.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
  /// Attaches a subscriber, which then requests values through its subscription.
  @inlinable
  public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
    receive(subscriber: subscriber)
  }
}

/// A publisher made from another, with that one's values and failures unless it declares its own.
public protocol Operator: Publisher {
  /// The type of the publisher that it operates on.
  associatedtype Upstream: Publisher
  associatedtype Output = Upstream.Output
  associatedtype Failure = Upstream.Failure

  /// The publisher that it operates on, subscribed to anew for each subscriber.
  var upstream: Upstream { get }
}

/// The namespace of the publishers that operators return.
public enum Publishers {}

/// A publisher that sends the values given to it, by any thread.
public protocol Subject<Output, Failure>: Publisher, AnyObject {
  /// Sends a value to the subscribers.
  func send(_ value: Output)

  /// Ends the stream for present and future subscribers.
  func send(completion: Subscribers.Completion<Failure>)
}

extension Subject where Output == Void {
  /// Sends a value without content.
  public func send() { send(()) }
}

/// A receiver of a publisher's signals.
///
/// The requirements are `mutating` because signals never overlap (rule 1.3): that is exclusive access in Swift. A struct
/// subscriber lives inside its publisher's subscription and is dropped when the stream ends or is cancelled (rule 3.13).
public protocol Subscriber<Input, Failure>: Sendable {
  /// The type of the values: the `Output` of its publisher.
  associatedtype Input: Sendable
  /// The type of the failure: the `Failure` of its publisher.
  associatedtype Failure: Error

  /// Receives the subscription, to request and cancel with. Comes first, once.
  mutating func receive(subscription: any Subscription)

  /// Receives the subscription and returns the first demand, so that its publisher synchronises once less. The default returns
  /// none.
  mutating func receive(starting subscription: consuming any Subscription) -> Subscribers.Demand

  /// Receives a value; returns how many more are wanted on top of those requested.
  mutating func receive(_ input: Input) -> Subscribers.Demand

  /// Receives the end of the stream. Nothing comes after it.
  mutating func receive(completion: Subscribers.Completion<Failure>)

  /// Receives the last value and the successful end, so that an operator synchronises once. The default makes two calls.
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
  /// How a stream ended.
  @frozen public enum Completion<Failure: Error>: Sendable {
    /// All values have been sent.
    case finished
    /// The stream failed; no more values come.
    case failure(Failure)
  }
}

extension Subscribers.Completion: Equatable where Failure: Equatable {}

extension Subscribers.Completion {
  /// The failure; `nil` when the stream has finished.
  @inlinable var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }

  /// The same end with the failure transformed.
  @inlinable
  func mapError<NewFailure>(_ transform: (Failure) -> NewFailure) -> Subscribers.Completion<NewFailure> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(transform(error))
    }
  }
}
