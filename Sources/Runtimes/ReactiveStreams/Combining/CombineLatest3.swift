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
