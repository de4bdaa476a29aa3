extension Publishers {
  /// Publishes the first values of all publishers as one array, then the second ones, and so on. See ``Zip``.
  ///
  /// Finishes at once when there is no publisher.
  public struct ZipMany<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    /// Arrays have their values in this order.
    public let upstreams: [Upstream]

    /// They are subscribed to in this order.
    @inlinable public init(_ upstreams: [Upstream]) { self.upstreams = upstreams }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(count: upstreams.count) { _ in Lane(of: Upstream.Output.self) }
      let combiner = Combiner<Zipping, S>(subscriber, lanes) { lanes in
        lanes.map { $0.take(Upstream.Output.self) }
      }
      combiner.begin()
      for (index, upstream) in upstreams.enumerated() {
        upstream.receive(subscriber: LaneInput(combiner, index))
      }
    }
  }
}

extension Collection where Element: Publisher {
  /// Publishes one value of each of these publishers at a time, in their order.
  @inlinable
  public func zip() -> Publishers.ZipMany<Element> { Publishers.ZipMany(Array(self)) }
}
