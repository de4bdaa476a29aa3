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
    /// Gives the sixth of each tuple.
    public let f: F

    /// They are subscribed to in this order.
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
      let lanes = Lanes(
        Lane(of: A.Output.self), Lane(of: B.Output.self), Lane(of: C.Output.self), Lane(of: D.Output.self),
        Lane(of: E.Output.self), Lane(of: F.Output.self))
      let combiner = Combiner<Zipping, S>(subscriber, lanes) { lanes in
        (lanes.take(0), lanes.take(1), lanes.take(2), lanes.take(3), lanes.take(4), lanes.take(5))
      }
      combiner.begin()
      a.receive(subscriber: LaneInput(combiner, 0))
      b.receive(subscriber: LaneInput(combiner, 1))
      c.receive(subscriber: LaneInput(combiner, 2))
      d.receive(subscriber: LaneInput(combiner, 3))
      e.receive(subscriber: LaneInput(combiner, 4))
      f.receive(subscriber: LaneInput(combiner, 5))
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
