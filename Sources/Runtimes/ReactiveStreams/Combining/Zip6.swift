extension Publishers {
  /// Publishes one value of each of six publishers at a time. See ``Zip``.
  public struct Zip6<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>:
    Publisher
  where
    B.Failure == A.Failure, C.Failure == A.Failure, D.Failure == A.Failure, E.Failure == A.Failure,
    F.Failure == A.Failure
  {
    public typealias Output = (A.Output, B.Output, C.Output, D.Output, E.Output, F.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C
    public let d: D
    public let e: E
    public let f: F

    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
      self.f = f
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let one = ValueLane<A.Output>()
      let two = ValueLane<B.Output>()
      let three = ValueLane<C.Output>()
      let four = ValueLane<D.Output>()
      let five = ValueLane<E.Output>()
      let six = ValueLane<F.Output>()
      let lanes = [one.lane, two.lane, three.lane, four.lane, five.lane, six.lane]
      let combiner = Combiner<Zipping, S>(subscriber, lanes) { _ in
        (one.take(), two.take(), three.take(), four.take(), five.take(), six.take())
      }
      combiner.begin()
      a.receive(subscriber: LaneInput(one, combiner))
      b.receive(subscriber: LaneInput(two, combiner))
      c.receive(subscriber: LaneInput(three, combiner))
      d.receive(subscriber: LaneInput(four, combiner))
      e.receive(subscriber: LaneInput(five, combiner))
      f.receive(subscriber: LaneInput(six, combiner))
    }
  }
}

extension Publisher {
  /// Publishes sextuples of one value of each.
  @inlinable
  public func zip<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>(
    _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) -> Publishers.Zip6<Self, B, C, D, E, F>
  where
    B.Failure == Failure, C.Failure == Failure, D.Failure == Failure, E.Failure == Failure,
    F.Failure == Failure
  {
    Publishers.Zip6(self, b, c, d, e, f)
  }
}
