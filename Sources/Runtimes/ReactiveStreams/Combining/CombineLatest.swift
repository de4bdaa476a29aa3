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
