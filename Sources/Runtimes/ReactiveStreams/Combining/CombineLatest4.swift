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
