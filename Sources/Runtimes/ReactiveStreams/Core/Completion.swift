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
  /// The same end with the failure turned into another.
  @inlinable
  func mapError<NewFailure>(_ transform: (Failure) -> NewFailure) -> Subscribers.Completion<NewFailure> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(transform(error))
    }
  }
}
