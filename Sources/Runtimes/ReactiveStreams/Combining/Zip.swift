extension Publishers {
  /// Publishes one value of each of two publishers at a time, as a pair.
  ///
  /// Finishes when one of them has finished and its values are used up; then the other is cancelled, as it is
  /// by a failure. Each is asked for what the downstream asks for, 64 values ahead at most; for everything, if the
  /// downstream asks for that, unless it waits (``Subscription/waitsForDemand``). What comes without partners is kept.
  public typealias Zip<A: Publisher, B: Publisher> = Combination2<Zipping, A, B>
  where A.Failure == B.Failure

  /// Publishes one value of each of three publishers at a time. See ``Zip``.
  public typealias Zip3<A: Publisher, B: Publisher, C: Publisher> = Combination3<Zipping, A, B, C>
  where B.Failure == A.Failure, C.Failure == A.Failure

  /// Publishes one value of each of four publishers at a time. See ``Zip``.
  public typealias Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher> =
    Combination4<Zipping, A, B, C, D>
  where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure

  /// Publishes one value of each of five publishers at a time. See ``Zip``.
  public typealias Zip5<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher> =
    Combination5<Zipping, A, B, C, D, E>
  where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure, E.Failure == A.Failure

  /// Publishes one value of each of six publishers at a time. See ``Zip``.
  public typealias Zip6<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher> =
    Combination6<Zipping, A, B, C, D, E, F>
  where
    B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure, E.Failure == A.Failure,
    F.Failure == A.Failure

  /// Publishes the first values of all publishers as one array, then the second ones, and so on. See ``Zip``.
  public typealias ZipMany<Upstream: Publisher> = CombinationMany<Zipping, Upstream>
}

extension Publisher {
  /// Publishes pairs of a value of this publisher and one of the other.
  @inlinable public func zip<B: Publisher>(_ b: B) -> Publishers.Zip<Self, B> { Publishers.Zip(self, b) }

  /// Publishes triples of one value of each.
  @inlinable
  public func zip<B: Publisher, C: Publisher>(_ b: B, _ c: C) -> Publishers.Zip3<Self, B, C> {
    Publishers.Zip3(self, b, c)
  }

  /// Publishes quadruples of one value of each.
  @inlinable
  public func zip<B: Publisher, C: Publisher, D: Publisher>(
    _ b: B, _ c: C, _ d: D
  ) -> Publishers.Zip4<Self, B, C, D> {
    Publishers.Zip4(self, b, c, d)
  }

  /// Publishes quintuples of one value of each.
  @inlinable
  public func zip<B: Publisher, C: Publisher, D: Publisher, E: Publisher>(
    _ b: B, _ c: C, _ d: D, _ e: E
  ) -> Publishers.Zip5<Self, B, C, D, E> {
    Publishers.Zip5(self, b, c, d, e)
  }

  /// Publishes sextuples of one value of each.
  @inlinable
  public func zip<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>(
    _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) -> Publishers.Zip6<Self, B, C, D, E, F> {
    Publishers.Zip6(self, b, c, d, e, f)
  }
}

extension Collection where Element: Publisher {
  /// Publishes one value of each of these publishers at a time, in their order.
  @inlinable public func zip() -> Publishers.ZipMany<Element> { Publishers.ZipMany(Array(self)) }
}

/// One value of each lane at a time, each once.
public struct Zipping: CombiningPolicy {
  @inlinable public static var keepsArrivalOrder: Bool { false }

  /// Lanes before this one have a value.
  @usableFromInline var firstUnseen = 0
  /// What is known to wait in each of those.
  @usableFromInline var least = Int.max

  @inlinable public init(laneCount: Int) {}

  @inlinable public static func value<Value>(in lane: Lane) -> Value { lane.take(Value.self) }

  @inlinable public mutating func receiveValue(in lane: Lane) {}

  @inlinable public mutating func ready(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Int {
    while firstUnseen < lanes.count {
      let waiting = lanes[firstUnseen].count
      if waiting == 0 { return 0 }
      least = min(least, waiting)
      firstUnseen += 1
    }
    // At most half a lane at a time, so that sources are asked again before they run out of demand.
    return min(least, Lane.capacity / 2)
  }

  @inlinable public mutating func prepare() {}

  @inlinable public mutating func settle(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Bool {
    firstUnseen = 0
    least = .max
    if lanes.any({ $0.isUsedUp }) { return true }
    lanes.forEach { $0.ask(demand) }
    return false
  }

  @inlinable public func isOver(after lane: Lane, _ lanes: Lanes) -> Bool {
    lane.isUsedUp
  }
}
