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

/// A subscriber that publishes what it makes of its input.
///
/// It obeys the rules of both sides: demand and cancellation go up as its subscribers', or its sharing policy, say
/// (rule 4.1), and a failure goes down at once, asked for or not (rule 4.2). Operators are processors that are
/// made anew for each subscriber, so they show themselves as publishers only; a subject is one that is there
/// before either side.
public protocol Processor<Input, Output, Failure>: Publisher, Subscriber {}

/// A publisher that sends what it is told to, by any thread.
public protocol Subject<Output, Failure>: Publisher, AnyObject {
  /// Sends a value to the subscribers.
  func send(_ value: Output)

  /// Ends the stream for present and future subscribers.
  func send(completion: Subscribers.Completion<Failure>)
}

/// As a subscriber, a subject asks for everything at once, sends it on, and cancels when it ends; a second subscription,
/// and one that comes after the end, is cancelled. `subscribe(_:)` connects it with any number of publishers.
extension Processor where Self: Subject, Input == Output {
  /// Sends the value on.
  @inlinable
  public func receive(_ input: Output) -> Subscribers.Demand {
    send(input)
    return .none
  }
}

extension Subject where Output == Void {
  /// Tells the subscribers that something happened.
  public func send() { send(()) }
}
