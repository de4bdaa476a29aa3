/// A publisher whose type is hidden.
///
/// Erasing costs one dynamic call per signal where the operators meet; inside, they stay specialised.
///
/// A chain of any length can be built and dropped. Subscribing to it, each signal that passes it, and dropping the
/// subscription go one call deep for each erased operator: about 240 bytes of stack for a `map` in a release
/// build (36 000 of them in 8 MiB), four times that in a debug build. A longer chain needs a thread with a larger
/// stack.
public struct AnyPublisher<Output: Sendable, Failure: Error>: Publisher {
  @usableFromInline let erased: ErasedPublisher<Output, Failure>

  /// Hides the publisher's type; one that is hidden already is not wrapped again.
  @inlinable
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let erased = publisher as? AnyPublisher<Output, Failure> {
      self = erased
    } else {
      erased = ErasedPublisher { publisher.receive(subscriber: $0) }
    }
  }

  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    erased.attach?(AnySubscriber(subscriber))
  }
}

extension Publisher {
  /// Hides the type.
  @inlinable
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}
