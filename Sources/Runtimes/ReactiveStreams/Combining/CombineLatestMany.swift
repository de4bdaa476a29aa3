extension Publishers {
  /// Publishes the latest values of all publishers as an array, each time one has sent one. See
  /// ``CombineLatest``.
  ///
  /// Finishes at once when there is no publisher.
  public struct CombineLatestMany<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    /// Arrays have their values in this order.
    public let upstreams: [Upstream]

    /// They are subscribed to in this order.
    @inlinable public init(_ upstreams: [Upstream]) { self.upstreams = upstreams }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(count: upstreams.count) { _ in Lane(of: Upstream.Output.self) }
      let combiner = Combiner<KeepingLatest, S>(subscriber, lanes) { lanes in
        lanes.map { $0.latest(Upstream.Output.self) }
      }
      combiner.begin()
      for (index, upstream) in upstreams.enumerated() {
        upstream.receive(subscriber: LaneInput(combiner, index))
      }
    }
  }
}

extension Collection where Element: Publisher {
  /// Publishes the latest values of these publishers, in their order, each time one has sent one.
  @inlinable
  public func combineLatest() -> Publishers.CombineLatestMany<Element> {
    Publishers.CombineLatestMany(Array(self))
  }
}
