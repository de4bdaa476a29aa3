extension Publishers {
  /// Publishes tuples of one value from each of two publishers. A value waits until the other publisher has sent its value.
  ///
  /// The stream finishes when one publisher has finished and all its values were published. An end or a failure cancels the
  /// other publisher. At most 64 values are requested ahead from each publisher, except that unlimited demand is passed on to
  /// publishers that do not wait for demand (``Subscription/waitsForDemand``).
  public struct Zip<A: Publisher, B: Publisher>: Publisher where B.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output)
    public typealias Failure = A.Failure

    /// The publishers, in the order of subscription and of the elements of each tuple.
    public let sources: (A, B)

    /// Creates a publisher that subscribes to the given ones when it is subscribed to.
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

  /// Publishes tuples of one value from each of three publishers. See ``Zip``.
  public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output)
    public typealias Failure = A.Failure

    /// The publishers, in the order of subscription and of the elements of each tuple.
    public let sources: (A, B, C)

    /// Creates a publisher that subscribes to the given ones when it is subscribed to.
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

  /// Publishes the first values of all publishers as one array, then the second values, and so on. See ``Zip``. Without
  /// publishers, it finishes immediately.
  public struct ZipMany<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    /// The publishers, in the order of subscription and of the values in each array.
    public let upstreams: [Upstream]

    /// Creates a publisher that subscribes to the given ones when it is subscribed to.
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
  /// Publishes tuples of one value from this publisher and one from the other.
  @inlinable public func zip<B: Publisher>(_ b: B) -> Publishers.Zip<Self, B> { Publishers.Zip(self, b) }

  /// Publishes tuples of one value from this publisher and one from each of the others.
  @inlinable public func zip<B: Publisher, C: Publisher>(_ b: B, _ c: C) -> Publishers.Zip3<Self, B, C> {
    Publishers.Zip3(self, b, c)
  }
}

extension Collection where Element: Publisher {
  /// Publishes arrays of one value from each of these publishers, in their order.
  @inlinable public func zip() -> Publishers.ZipMany<Element> { Publishers.ZipMany(Array(self)) }
}
