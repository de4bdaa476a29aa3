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
