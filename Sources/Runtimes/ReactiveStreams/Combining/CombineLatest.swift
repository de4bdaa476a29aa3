extension Publishers {
  /// Publishes the latest values of two publishers as a pair, each time one of them has sent one.
  ///
  /// The first pair comes when both have sent a value. Finishes when both have finished, or one has without a
  /// value; a failure cancels the other. Each is asked for what the downstream asks for, 64 values ahead at
  /// most; values wait for demand in the order of their arrival, so no pair is lost. A publisher that can not
  /// wait, such as a `PassthroughSubject`, loses what goes beyond that without a `buffer` behind it.
  public struct CombineLatest<A: Publisher, B: Publisher>: Publisher
  where B.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output)
    public typealias Failure = A.Failure

    /// Gives the first of each pair.
    public let a: A
    /// Gives the second of each pair.
    public let b: B

    /// They are subscribed to in this order.
    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(Lane(of: A.Output.self), Lane(of: B.Output.self))
      let combiner = Combiner<KeepingLatest, S>(subscriber, lanes) { lanes in
        (lanes.latest(0), lanes.latest(1))
      }
      combiner.begin()
      a.receive(subscriber: LaneInput(combiner, 0))
      b.receive(subscriber: LaneInput(combiner, 1))
    }
  }
}

extension Publisher {
  /// Publishes pairs of the latest values, each time one of the publishers has sent a value.
  @inlinable
  public func combineLatest<B: Publisher>(
    _ b: B
  ) -> Publishers.CombineLatest<Self, B>
  where B.Failure == Failure {
    Publishers.CombineLatest(self, b)
  }
}

extension Publishers {
  /// Publishes the latest values of three publishers, each time one has sent one. See ``CombineLatest``.
  public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output)
    public typealias Failure = A.Failure

    /// Gives the first of each tuple.
    public let a: A
    /// Gives the second of each tuple.
    public let b: B
    /// Gives the third of each tuple.
    public let c: C

    /// They are subscribed to in this order.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(Lane(of: A.Output.self), Lane(of: B.Output.self), Lane(of: C.Output.self))
      let combiner = Combiner<KeepingLatest, S>(subscriber, lanes) { lanes in
        (lanes.latest(0), lanes.latest(1), lanes.latest(2))
      }
      combiner.begin()
      a.receive(subscriber: LaneInput(combiner, 0))
      b.receive(subscriber: LaneInput(combiner, 1))
      c.receive(subscriber: LaneInput(combiner, 2))
    }
  }
}

extension Publisher {
  /// Publishes triples of the latest values, each time one of the publishers has sent a value.
  @inlinable
  public func combineLatest<B: Publisher, C: Publisher>(
    _ b: B, _ c: C
  ) -> Publishers.CombineLatest3<Self, B, C>
  where B.Failure == Failure, C.Failure == Failure {
    Publishers.CombineLatest3(self, b, c)
  }
}

extension Publishers {
  /// Publishes the latest values of four publishers, each time one has sent one. See ``CombineLatest``.
  public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)
    public typealias Failure = A.Failure

    /// Gives the first of each tuple.
    public let a: A
    /// Gives the second of each tuple.
    public let b: B
    /// Gives the third of each tuple.
    public let c: C
    /// Gives the fourth of each tuple.
    public let d: D

    /// They are subscribed to in this order.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(
        Lane(of: A.Output.self), Lane(of: B.Output.self), Lane(of: C.Output.self), Lane(of: D.Output.self))
      let combiner = Combiner<KeepingLatest, S>(subscriber, lanes) { lanes in
        (lanes.latest(0), lanes.latest(1), lanes.latest(2), lanes.latest(3))
      }
      combiner.begin()
      a.receive(subscriber: LaneInput(combiner, 0))
      b.receive(subscriber: LaneInput(combiner, 1))
      c.receive(subscriber: LaneInput(combiner, 2))
      d.receive(subscriber: LaneInput(combiner, 3))
    }
  }
}

extension Publisher {
  /// Publishes quadruples of the latest values, each time one of the publishers has sent a value.
  @inlinable
  public func combineLatest<B: Publisher, C: Publisher, D: Publisher>(
    _ b: B, _ c: C, _ d: D
  ) -> Publishers.CombineLatest4<Self, B, C, D>
  where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
    Publishers.CombineLatest4(self, b, c, d)
  }
}

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

/// The latest value of each lane, anew for each that comes, in the order of arrival.
@usableFromInline
struct KeepingLatest: CombiningPolicy {
  @usableFromInline static var keepsArrivalOrder: Bool { true }

  /// A lane for each value that waits.
  @usableFromInline var waiting = Queue<Unmanaged<Lane>>()
  /// Lanes that have had no value.
  @usableFromInline var missing: Int

  @inlinable init(laneCount: Int) { missing = laneCount }

  @inlinable mutating func receiveValue(in lane: Unmanaged<Lane>) { waiting.append(lane) }

  @inlinable mutating func ready(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Int {
    while let lane = waiting.first?.takeUnretainedValue() {
      if missing == 0 || missing == 1 && !lane.hasLatest { return 1 }
      prepare()
      lane.ask(demand)
    }
    return 0
  }

  @inlinable mutating func prepare() {
    guard let lane = waiting.popFirst()?.takeUnretainedValue() else { return }
    if !lane.hasLatest { missing -= 1 }
    lane.advance()
  }

  @inlinable mutating func settle(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Bool {
    lanes.forEach { $0.ask(demand) }
    return isOver(lanes)
  }

  @inlinable func isOver(after lane: Unmanaged<Lane>, _ lanes: Lanes) -> Bool { isOver(lanes) }

  /// Whether every lane is used up, or one that had no value is.
  @inlinable func isOver(_ lanes: Lanes) -> Bool {
    waiting.isEmpty && !lanes.any { !$0.isUsedUp } || lanes.any { $0.isUsedUp && !$0.hasLatest }
  }
}
