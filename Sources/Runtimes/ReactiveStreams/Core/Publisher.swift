/// A source of values over time that sends only what its subscribers have asked for.
///
/// Signals follow the Reactive Streams specification 1.0.4: one `receive(subscription:)`, then at most as
/// many values as were requested, then at most one completion; never two signals at a time, from whichever
/// threads they come. That is why publishers, what they publish and the closures given to operators are
/// `Sendable`.
public protocol Publisher<Output, Failure>: Sendable {
  /// What is sent; it may cross threads.
  associatedtype Output: Sendable
  /// How the stream may break off; `Never` if it cannot.
  associatedtype Failure: Error

  /// Attaches a subscriber. Call `subscribe(_:)`; implement this.
  ///
  /// An implementation must send `receive(subscription:)` before anything else, including a failure, and must
  /// not let `request` or `cancel` inside that call send a signal before it has returned: a subscriber is
  /// mutated by its signals and two of them may not overlap.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
  /// Attaches a subscriber, which then asks for values through its subscription.
  @inlinable
  public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
    receive(subscriber: subscriber)
  }
}

/// A publisher made of another. Unless it says otherwise, it has that one's values and failures.
public protocol Operator: Publisher {
  /// What is operated on.
  associatedtype Upstream: Publisher
  associatedtype Output = Upstream.Output
  associatedtype Failure = Upstream.Failure

  /// What is subscribed to, anew for each subscriber.
  var upstream: Upstream { get }
}

/// The namespace of the publishers that operators return.
public enum Publishers {}

/// A publisher that sends what it is told to, by any thread.
public protocol Subject<Output, Failure>: Publisher, AnyObject {
  /// Sends a value to the subscribers.
  func send(_ value: Output)

  /// Ends the stream for present and future subscribers.
  func send(completion: Subscribers.Completion<Failure>)
}

extension Subject where Output == Void {
  /// Tells the subscribers that something happened.
  public func send() { send(()) }
}

/// A receiver of a publisher's signals.
///
/// The requirements are `mutating` because signals never overlap (rule 1.3): exclusive access is what that
/// rule means in Swift. A subscriber that is a struct lives inside its publisher's subscription and goes with
/// it when the stream ends or is cancelled (rule 3.13).
public protocol Subscriber<Input, Failure>: Sendable {
  /// What is taken: the `Output` of its publisher.
  associatedtype Input: Sendable
  /// How the stream may break off: the `Failure` of its publisher.
  associatedtype Failure: Error

  /// Takes the subscription to ask and cancel with. Comes first, once.
  mutating func receive(subscription: any Subscription)

  /// Takes the subscription and returns the first demand, so that its publisher synchronises once less. The default
  /// leaves the demand to a request.
  mutating func receive(starting subscription: consuming any Subscription) -> Subscribers.Demand

  /// Takes a value; returns how many more than asked so far are wanted.
  mutating func receive(_ input: Input) -> Subscribers.Demand

  /// Takes the end of the stream. Nothing comes after it.
  mutating func receive(completion: Subscribers.Completion<Failure>)

  /// Takes the last value and the successful end, so that an operator synchronises once. The default makes two calls.
  mutating func receive(last input: Input)
}

extension Subscriber {
  @inlinable
  public mutating func receive(starting subscription: consuming any Subscription) -> Subscribers.Demand {
    receive(subscription: subscription)
    return .none
  }

  @inlinable
  public mutating func receive(last input: Input) {
    _ = receive(input)
    receive(completion: .finished)
  }
}

/// The namespace of the types that subscribers exchange with publishers.
public enum Subscribers {}

extension Subscribers {
  /// How a stream ended.
  @frozen
  public enum Completion<Failure: Error>: Sendable {
    /// All values have been sent.
    case finished
    /// The stream broke off; no more values come.
    case failure(Failure)
  }
}

extension Subscribers.Completion: Equatable where Failure: Equatable {}

extension Subscribers.Completion {
  /// What broke the stream off; `nil` when it has finished.
  @inlinable var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }

  /// The same end with the failure turned into another.
  @inlinable
  func mapError<NewFailure>(_ transform: (Failure) -> NewFailure) -> Subscribers.Completion<NewFailure> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(transform(error))
    }
  }
}
