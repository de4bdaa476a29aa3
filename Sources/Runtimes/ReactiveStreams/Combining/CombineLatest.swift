extension Publishers {
  /// Publishes the latest values of two publishers as a pair, each time one of them has sent one.
  ///
  /// The first pair comes when both have sent a value. Finishes when both have finished, or one has without a
  /// value; a failure cancels the other. Each is asked for what the downstream asks for, 64 values ahead at most;
  /// for everything, if the downstream asks for that, unless it waits (``Subscription/waitsForDemand``). Values wait for
  /// demand in the order of their arrival, so no pair is lost.
  public typealias CombineLatest<A: Publisher, B: Publisher> = Combination2<KeepingLatest, A, B>
  where B.Failure == A.Failure

  /// Publishes the latest values of three publishers, each time one has sent one. See ``CombineLatest``.
  public typealias CombineLatest3<A: Publisher, B: Publisher, C: Publisher> =
    Combination3<KeepingLatest, A, B, C>
  where B.Failure == A.Failure, C.Failure == A.Failure

  /// Publishes the latest values of four publishers, each time one has sent one. See ``CombineLatest``.
  public typealias CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher> =
    Combination4<KeepingLatest, A, B, C, D>
  where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure

  /// Publishes the latest values of all publishers as an array, each time one has sent one. See
  /// ``CombineLatest``.
  public typealias CombineLatestMany<Upstream: Publisher> = CombinationMany<KeepingLatest, Upstream>
}

extension Publisher {
  /// Publishes pairs of the latest values, each time one of the publishers has sent a value.
  @inlinable
  public func combineLatest<B: Publisher>(_ b: B) -> Publishers.CombineLatest<Self, B> {
    Publishers.CombineLatest(self, b)
  }

  /// Publishes triples of the latest values, each time one of the publishers has sent a value.
  @inlinable
  public func combineLatest<B: Publisher, C: Publisher>(
    _ b: B, _ c: C
  ) -> Publishers.CombineLatest3<Self, B, C> {
    Publishers.CombineLatest3(self, b, c)
  }

  /// Publishes quadruples of the latest values, each time one of the publishers has sent a value.
  @inlinable
  public func combineLatest<B: Publisher, C: Publisher, D: Publisher>(
    _ b: B, _ c: C, _ d: D
  ) -> Publishers.CombineLatest4<Self, B, C, D> {
    Publishers.CombineLatest4(self, b, c, d)
  }
}

extension Collection where Element: Publisher {
  /// Publishes the latest values of these publishers, in their order, each time one has sent one.
  @inlinable
  public func combineLatest() -> Publishers.CombineLatestMany<Element> {
    Publishers.CombineLatestMany(Array(self))
  }
}

/// The latest value of each lane, anew for each that comes, in the order of arrival.
public struct KeepingLatest: CombiningPolicy {
  @inlinable public static var keepsArrivalOrder: Bool { true }

  /// A lane for each value that waits.
  @usableFromInline var waiting = Queue<Lane>()
  /// Lanes that have had no value.
  @usableFromInline var missing: Int

  @inlinable public init(laneCount: Int) { missing = laneCount }

  @inlinable public static func value<Value>(in lane: Lane) -> Value { lane.latest(Value.self) }

  @inlinable public mutating func receiveValue(in lane: Lane) { waiting.append(lane) }

  @inlinable public mutating func ready(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Int {
    while let lane = waiting.first {
      if missing == 0 || missing == 1 && !lane.hasLatest { return 1 }
      prepare()
      lane.ask(demand)
    }
    return 0
  }

  @inlinable public mutating func prepare() {
    guard let lane = waiting.popFirst() else { return }
    if !lane.hasLatest { missing -= 1 }
    lane.advance()
  }

  @inlinable public mutating func settle(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Bool {
    lanes.forEach { $0.ask(demand) }
    return isOver(lanes)
  }

  @inlinable public func isOver(after lane: Lane, _ lanes: Lanes) -> Bool { isOver(lanes) }

  /// Whether every lane is used up, or one that had no value is.
  @inlinable func isOver(_ lanes: Lanes) -> Bool {
    waiting.isEmpty && !lanes.any { !$0.isUsedUp } || lanes.any { $0.isUsedUp && !$0.hasLatest }
  }
}
