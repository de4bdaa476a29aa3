extension Publishers {
  /// Publishes one value of each of four publishers at a time. See ``Zip``.
  public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
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
      let combiner = Combiner<Zipping, S>(subscriber, lanes) { lanes in
        (lanes.take(0), lanes.take(1), lanes.take(2), lanes.take(3))
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
  /// Publishes quadruples of one value of each.
  @inlinable
  public func zip<B: Publisher, C: Publisher, D: Publisher>(
    _ b: B, _ c: C, _ d: D
  ) -> Publishers.Zip4<Self, B, C, D>
  where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
    Publishers.Zip4(self, b, c, d)
  }
}
