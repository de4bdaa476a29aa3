extension Publishers {
  /// Publishes one value of each of two publishers at a time, as a pair.
  ///
  /// Finishes when one of them has finished and its values are used up; then the other is cancelled, as it is by a failure.
  /// Each gets the downstream's demand, 64 values ahead at most; unlimited demand, if the downstream's is unlimited, unless it
  /// waits (``Subscription/waitsForDemand``). Values without partners are kept.
  public struct Zip<A: Publisher, B: Publisher>: Publisher where B.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output)
    public typealias Failure = A.Failure

    /// Subscribed to in this order; each gives its part of the tuples.
    public let sources: (A, B)

    /// Subscribes to nothing yet.
    @inlinable public init(_ a: A, _ b: B) { sources = (a, b) }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(LanePlan(of: A.Output.self), LanePlan(of: B.Output.self))
      let run = ZipRun<S>(subscriber, lanes) { ($0.value(0), $0.value(1)) }
      run.begin()
      sources.0.receive(subscriber: LaneInput(run, 0))
      sources.1.receive(subscriber: LaneInput(run, 1))
    }
  }

  /// Publishes one value of each of three publishers at a time. See ``Zip``.
  public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output)
    public typealias Failure = A.Failure

    /// Subscribed to in this order; each gives its part of the tuples.
    public let sources: (A, B, C)

    /// Subscribes to nothing yet.
    @inlinable public init(_ a: A, _ b: B, _ c: C) { sources = (a, b, c) }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(LanePlan(of: A.Output.self), LanePlan(of: B.Output.self), LanePlan(of: C.Output.self))
      let run = ZipRun<S>(subscriber, lanes) { ($0.value(0), $0.value(1), $0.value(2)) }
      run.begin()
      sources.0.receive(subscriber: LaneInput(run, 0))
      sources.1.receive(subscriber: LaneInput(run, 1))
      sources.2.receive(subscriber: LaneInput(run, 2))
    }
  }

  /// Publishes the first values of all publishers as one array, then the second ones, and so on. See ``Zip``. Without
  /// publishers, it finishes at once.
  public struct ZipMany<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    /// Subscribed to in this order, which is that of the values in an array.
    public let upstreams: [Upstream]

    /// Subscribes to nothing yet.
    @inlinable public init(_ upstreams: [Upstream]) { self.upstreams = upstreams }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(count: upstreams.count, of: Upstream.Output.self)
      let run = ZipRun<S>(subscriber, lanes) { $0.lanes.map { $0.take(Upstream.Output.self) } }
      run.begin()
      for (index, upstream) in upstreams.enumerated() { upstream.receive(subscriber: LaneInput(run, index)) }
    }
  }
}

extension Publisher {
  /// Publishes pairs of a value of this publisher and one of the other.
  @inlinable public func zip<B: Publisher>(_ b: B) -> Publishers.Zip<Self, B> { Publishers.Zip(self, b) }

  /// Publishes triples of one value of each.
  @inlinable public func zip<B: Publisher, C: Publisher>(_ b: B, _ c: C) -> Publishers.Zip3<Self, B, C> {
    Publishers.Zip3(self, b, c)
  }
}

extension Collection where Element: Publisher {
  /// Publishes one value of each of these publishers at a time, in their order.
  @inlinable public func zip() -> Publishers.ZipMany<Element> { Publishers.ZipMany(Array(self)) }
}
