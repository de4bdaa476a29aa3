extension Publishers {
  /// Publishes one value of each of two publishers at a time, as a pair.
  ///
  /// Finishes when one of them has finished and its values are used up; then the other is cancelled, as it is
  /// by a failure.
  public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
    public typealias Output = (A.Output, B.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B

    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let zipper = PairZipper<A.Output, B.Output, S>(subscriber)
      zipper.begin()
      a.receive(subscriber: FirstInput(zipper: zipper))
      b.receive(subscriber: SecondInput(zipper: zipper))
    }
  }

  /// Three publishers zipped: a zip of a zip, flattened.
  public typealias Zip3<A: Publisher, B: Publisher, C: Publisher> =
    Map<Zip<Zip<A, B>, C>, (A.Output, B.Output, C.Output)>
  where A.Failure == B.Failure, B.Failure == C.Failure

  /// Four publishers zipped.
  public typealias Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher> =
    Map<Zip<Zip<A, B>, Zip<C, D>>, (A.Output, B.Output, C.Output, D.Output)>
  where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure
}

extension Publisher {
  /// Publishes pairs of a value of this publisher and one of the other.
  @inlinable
  public func zip<B: Publisher>(_ b: B) -> Publishers.Zip<Self, B> where B.Failure == Failure {
    Publishers.Zip(self, b)
  }

  /// Publishes triples of one value of each.
  @inlinable
  public func zip<B: Publisher, C: Publisher>(_ b: B, _ c: C) -> Publishers.Zip3<Self, B, C>
  where B.Failure == Failure, C.Failure == Failure {
    zip(b).zip(c).map { ($0.0.0, $0.0.1, $0.1) }
  }

  /// Publishes quadruples of one value of each.
  @inlinable
  public func zip<B: Publisher, C: Publisher, D: Publisher>(
    _ b: B, _ c: C, _ d: D
  ) -> Publishers.Zip4<Self, B, C, D>
  where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
    zip(b).zip(c.zip(d)).map { ($0.0.0, $0.0.1, $0.1.0, $0.1.1) }
  }
}

@usableFromInline
struct FirstInput<Input: Sendable, Second: Sendable, Downstream: Subscriber>: Subscriber
where Downstream.Input == (Input, Second) {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let zipper: PairZipper<Input, Second, Downstream>

  @inlinable init(zipper: PairZipper<Input, Second, Downstream>) { self.zipper = zipper }

  @inlinable func receive(subscription: any Subscription) {
    zipper.send(.subscribed(isFirst: true, subscription))
  }
  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    zipper.send(.first(input))
    return .none
  }
  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: zipper.send(.finished(isFirst: true))
    case .failure(let error): zipper.send(.failed(isFirst: true, error))
    }
  }
}

@usableFromInline
struct SecondInput<First: Sendable, Input: Sendable, Downstream: Subscriber>: Subscriber
where Downstream.Input == (First, Input) {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let zipper: PairZipper<First, Input, Downstream>

  @inlinable init(zipper: PairZipper<First, Input, Downstream>) { self.zipper = zipper }

  @inlinable func receive(subscription: any Subscription) {
    zipper.send(.subscribed(isFirst: false, subscription))
  }
  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    zipper.send(.second(input))
    return .none
  }
  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: zipper.send(.finished(isFirst: false))
    case .failure(let error): zipper.send(.failed(isFirst: false, error))
    }
  }
}
