extension Publishers {
  /// Publishes one value of each of three publishers at a time. See ``Zip``.
  public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
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
      let combiner = Combiner<Zipping, S>(subscriber, lanes) { lanes in
        (lanes.take(0), lanes.take(1), lanes.take(2))
      }
      combiner.begin()
      a.receive(subscriber: LaneInput(combiner, 0))
      b.receive(subscriber: LaneInput(combiner, 1))
      c.receive(subscriber: LaneInput(combiner, 2))
    }
  }
}

extension Publisher {
  /// Publishes triples of one value of each.
  @inlinable
  public func zip<B: Publisher, C: Publisher>(
    _ b: B, _ c: C
  ) -> Publishers.Zip3<Self, B, C>
  where B.Failure == Failure, C.Failure == Failure {
    Publishers.Zip3(self, b, c)
  }
}
