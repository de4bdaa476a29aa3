/// A publisher whose type is hidden.
///
/// Erasing costs one dynamic call per signal where the operators meet; inside, they stay specialised.
public struct AnyPublisher<Output: Sendable, Failure: Error>: Publisher {
  @usableFromInline let attach: @Sendable (AnySubscriber<Output, Failure>) -> Void

  @inlinable
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let erased = publisher as? AnyPublisher<Output, Failure> {
      self = erased
    } else {
      attach = { publisher.receive(subscriber: $0) }
    }
  }

  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    attach(AnySubscriber(subscriber))
  }
}

extension Publisher {
  /// Hides the type.
  @inlinable
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}
