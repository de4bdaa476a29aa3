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
