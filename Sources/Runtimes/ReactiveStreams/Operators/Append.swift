extension Publisher {
  /// Publishes the values of this publisher, then, when it has finished, those of another.
  public func append<P: Publisher>(
    _ next: P
  ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> where P.Output == Output, P.Failure == Failure {
    [eraseToAnyPublisher(), next.eraseToAnyPublisher()].merge(maxPublishers: .max(1))
  }

  /// Publishes the values of another publisher, then, when it has finished, those of this one.
  public func prepend<P: Publisher>(
    _ first: P
  ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> where P.Output == Output, P.Failure == Failure {
    first.append(self)
  }
}
