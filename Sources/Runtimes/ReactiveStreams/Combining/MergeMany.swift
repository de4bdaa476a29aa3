extension Publishers {
  /// Publishes the values of several publishers as they come.
  public typealias MergeMany<Upstream: Publisher> =
    FlatMap<Upstream, SetFailureType<Sequence<[Upstream], Never>, Upstream.Failure>>
}

extension Collection where Element: Publisher {
  /// Publishes the values of all these publishers as they come, one publisher at a time sending.
  @inlinable
  public func merge(maxPublishers: Subscribers.Demand = .unlimited) -> Publishers.MergeMany<Element> {
    Array(self).publisher.flatMap(maxPublishers: maxPublishers) { $0 }
  }
}

extension Publisher {
  /// Publishes the values of this publisher and another as they come.
  @inlinable
  public func merge<P: Publisher>(with other: P) -> Publishers.MergeMany<AnyPublisher<Output, Failure>>
  where P.Output == Output, P.Failure == Failure {
    [eraseToAnyPublisher(), other.eraseToAnyPublisher()].merge()
  }
}
