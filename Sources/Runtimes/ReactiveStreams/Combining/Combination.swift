extension Publishers {
  /// Publishes what a policy makes of two publishers. See ``Zip`` and ``CombineLatest``.
  public struct Combination2<Policy: CombiningPolicy, A: Publisher, B: Publisher>: Publisher
  where B.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output)
    public typealias Failure = A.Failure

    /// Subscribed to in this order; each gives its part of the tuples.
    public let sources: (A, B)

    /// Nothing is subscribed to yet.
    @inlinable public init(_ a: A, _ b: B) { sources = (a, b) }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(LanePlan(of: A.Output.self), LanePlan(of: B.Output.self))
      let combiner = Combiner<Policy, S>(subscriber, lanes) { ($0.value(0), $0.value(1)) }
      combiner.begin()
      sources.0.receive(subscriber: LaneInput(combiner, 0))
      sources.1.receive(subscriber: LaneInput(combiner, 1))
    }
  }

  /// The same of three publishers.
  public struct Combination3<Policy: CombiningPolicy, A: Publisher, B: Publisher, C: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output)
    public typealias Failure = A.Failure

    /// Subscribed to in this order; each gives its part of the tuples.
    public let sources: (A, B, C)

    /// Nothing is subscribed to yet.
    @inlinable public init(_ a: A, _ b: B, _ c: C) { sources = (a, b, c) }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(LanePlan(of: A.Output.self), LanePlan(of: B.Output.self), LanePlan(of: C.Output.self))
      let combiner = Combiner<Policy, S>(subscriber, lanes) { ($0.value(0), $0.value(1), $0.value(2)) }
      combiner.begin()
      sources.0.receive(subscriber: LaneInput(combiner, 0))
      sources.1.receive(subscriber: LaneInput(combiner, 1))
      sources.2.receive(subscriber: LaneInput(combiner, 2))
    }
  }

  /// The same of four publishers.
  public struct Combination4<
    Policy: CombiningPolicy, A: Publisher, B: Publisher, C: Publisher, D: Publisher
  >: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)
    public typealias Failure = A.Failure

    /// Subscribed to in this order; each gives its part of the tuples.
    public let sources: (A, B, C, D)

    /// Nothing is subscribed to yet.
    @inlinable public init(_ a: A, _ b: B, _ c: C, _ d: D) { sources = (a, b, c, d) }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(
        LanePlan(of: A.Output.self), LanePlan(of: B.Output.self), LanePlan(of: C.Output.self),
        LanePlan(of: D.Output.self))
      let combiner = Combiner<Policy, S>(subscriber, lanes) {
        ($0.value(0), $0.value(1), $0.value(2), $0.value(3))
      }
      combiner.begin()
      sources.0.receive(subscriber: LaneInput(combiner, 0))
      sources.1.receive(subscriber: LaneInput(combiner, 1))
      sources.2.receive(subscriber: LaneInput(combiner, 2))
      sources.3.receive(subscriber: LaneInput(combiner, 3))
    }
  }

  /// The same of five publishers.
  public struct Combination5<
    Policy: CombiningPolicy, A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher
  >: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure, E.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output, D.Output, E.Output)
    public typealias Failure = A.Failure

    /// Subscribed to in this order; each gives its part of the tuples.
    public let sources: (A, B, C, D, E)

    /// Nothing is subscribed to yet.
    @inlinable public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) { sources = (a, b, c, d, e) }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(
        LanePlan(of: A.Output.self), LanePlan(of: B.Output.self), LanePlan(of: C.Output.self),
        LanePlan(of: D.Output.self),
        LanePlan(of: E.Output.self))
      let combiner = Combiner<Policy, S>(subscriber, lanes) {
        ($0.value(0), $0.value(1), $0.value(2), $0.value(3), $0.value(4))
      }
      combiner.begin()
      sources.0.receive(subscriber: LaneInput(combiner, 0))
      sources.1.receive(subscriber: LaneInput(combiner, 1))
      sources.2.receive(subscriber: LaneInput(combiner, 2))
      sources.3.receive(subscriber: LaneInput(combiner, 3))
      sources.4.receive(subscriber: LaneInput(combiner, 4))
    }
  }

  /// The same of six publishers.
  public struct Combination6<
    Policy: CombiningPolicy, A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher,
    F: Publisher
  >: Publisher
  where
    B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure, E.Failure == A.Failure,
    F.Failure == A.Failure
  {
    public typealias Output = (A.Output, B.Output, C.Output, D.Output, E.Output, F.Output)
    public typealias Failure = A.Failure

    /// Subscribed to in this order; each gives its part of the tuples.
    public let sources: (A, B, C, D, E, F)

    /// Nothing is subscribed to yet.
    @inlinable public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) { sources = (a, b, c, d, e, f) }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(
        LanePlan(of: A.Output.self), LanePlan(of: B.Output.self), LanePlan(of: C.Output.self),
        LanePlan(of: D.Output.self),
        LanePlan(of: E.Output.self), LanePlan(of: F.Output.self))
      let combiner = Combiner<Policy, S>(subscriber, lanes) {
        ($0.value(0), $0.value(1), $0.value(2), $0.value(3), $0.value(4), $0.value(5))
      }
      combiner.begin()
      sources.0.receive(subscriber: LaneInput(combiner, 0))
      sources.1.receive(subscriber: LaneInput(combiner, 1))
      sources.2.receive(subscriber: LaneInput(combiner, 2))
      sources.3.receive(subscriber: LaneInput(combiner, 3))
      sources.4.receive(subscriber: LaneInput(combiner, 4))
      sources.5.receive(subscriber: LaneInput(combiner, 5))
    }
  }

  /// The same of any number of publishers of one type. Finishes at once when there is none.
  public struct CombinationMany<Policy: CombiningPolicy, Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    /// Arrays have their values in this order.
    public let upstreams: [Upstream]

    /// They are subscribed to in this order.
    @inlinable public init(_ upstreams: [Upstream]) { self.upstreams = upstreams }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(count: upstreams.count, of: Upstream.Output.self)
      let combiner = Combiner<Policy, S>(subscriber, lanes) { $0.lanes.map { Policy.value(in: $0) } }
      combiner.begin()
      for (index, upstream) in upstreams.enumerated() {
        upstream.receive(subscriber: LaneInput(combiner, index))
      }
    }
  }
}
