extension Publishers {
  /// Publishes one value of each of five publishers at a time. See ``Zip``.
  public struct Zip5<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure, E.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output, D.Output, E.Output)
    public typealias Failure = A.Failure

    /// Gives the first of each tuple.
    public let a: A
    /// Gives the second of each tuple.
    public let b: B
    /// Gives the third of each tuple.
    public let c: C
    /// Gives the fourth of each tuple.
    public let d: D
    /// Gives the fifth of each tuple.
    public let e: E

    /// They are subscribed to in this order.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let lanes = Lanes(
        Lane(of: A.Output.self), Lane(of: B.Output.self), Lane(of: C.Output.self), Lane(of: D.Output.self),
        Lane(of: E.Output.self))
      let combiner = Combiner<Zipping, S>(subscriber, lanes) { lanes in
        (lanes.take(0), lanes.take(1), lanes.take(2), lanes.take(3), lanes.take(4))
      }
      combiner.begin()
      a.receive(subscriber: LaneInput(combiner, 0))
      b.receive(subscriber: LaneInput(combiner, 1))
      c.receive(subscriber: LaneInput(combiner, 2))
      d.receive(subscriber: LaneInput(combiner, 3))
      e.receive(subscriber: LaneInput(combiner, 4))
    }
  }
}

extension Publisher {
  /// Publishes quintuples of one value of each.
  @inlinable
  public func zip<B: Publisher, C: Publisher, D: Publisher, E: Publisher>(
    _ b: B, _ c: C, _ d: D, _ e: E
  ) -> Publishers.Zip5<Self, B, C, D, E>
  where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure, E.Failure == Failure {
    Publishers.Zip5(self, b, c, d, e)
  }
}
