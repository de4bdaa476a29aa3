extension Publishers {
  /// Publishes the latest values of four publishers, each time one has sent one. See ``CombineLatest``.
  public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure {
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C
    public let d: D

    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let one = ValueLane<A.Output>()
      let two = ValueLane<B.Output>()
      let three = ValueLane<C.Output>()
      let four = ValueLane<D.Output>()
      let lanes = [one.lane, two.lane, three.lane, four.lane]
      let combiner = Combiner<KeepingLatest, S>(subscriber, lanes) { _ in
        (one.latest, two.latest, three.latest, four.latest)
      }
      combiner.begin()
      a.receive(subscriber: LaneInput(one, combiner))
      b.receive(subscriber: LaneInput(two, combiner))
      c.receive(subscriber: LaneInput(three, combiner))
      d.receive(subscriber: LaneInput(four, combiner))
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
