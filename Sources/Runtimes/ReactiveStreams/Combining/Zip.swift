extension Publishers {
  /// Publishes one value of each of two publishers at a time, as a pair.
  ///
  /// Finishes when one of them has finished and its values are used up; then the other is cancelled, as it is
  /// by a failure. Each is asked for what the downstream asks for, 64 values ahead at most; one that can not
  /// wait, such as a `PassthroughSubject`, loses what goes beyond that without a `buffer` behind it.
  public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
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
      let combiner = Combiner<Zipping, S>(subscriber, lanes) { lanes in
        (lanes.take(0), lanes.take(1))
      }
      combiner.begin()
      a.receive(subscriber: LaneInput(combiner, 0))
      b.receive(subscriber: LaneInput(combiner, 1))
    }
  }
}

extension Publisher {
  /// Publishes pairs of a value of this publisher and one of the other.
  @inlinable
  public func zip<B: Publisher>(_ b: B) -> Publishers.Zip<Self, B> where B.Failure == Failure {
    Publishers.Zip(self, b)
  }
}

/// One value of each lane at a time, each once.
@usableFromInline
struct Zipping: CombiningPolicy {
  @usableFromInline static var keepsArrivalOrder: Bool { false }

  /// Lanes before this one have a value.
  @usableFromInline var firstUnseen = 0
  /// What is known to wait in each of those.
  @usableFromInline var least = Int.max

  @inlinable init(laneCount: Int) {}

  @inlinable mutating func receiveValue(in lane: Unmanaged<Lane>) {}

  @inlinable mutating func ready(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Int {
    while firstUnseen < lanes.count {
      let waiting = lanes.with(firstUnseen) { $0.count }
      if waiting == 0 { return 0 }
      least = min(least, waiting)
      firstUnseen += 1
    }
    // At most half a lane at a time, so that sources are asked again before they run out of demand.
    return min(least, Lane.capacity / 2)
  }

  @inlinable mutating func prepare() {}

  @inlinable mutating func settle(_ lanes: Lanes, _ demand: Subscribers.Demand) -> Bool {
    firstUnseen = 0
    least = .max
    if lanes.any({ $0.isUsedUp }) { return true }
    lanes.forEach { $0.ask(demand) }
    return false
  }

  @inlinable func isOver(after lane: Unmanaged<Lane>, _ lanes: Lanes) -> Bool {
    lane._withUnsafeGuaranteedRef { $0.isUsedUp }
  }
}

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
