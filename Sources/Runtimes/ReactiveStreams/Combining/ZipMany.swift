extension Publishers {
  /// Publishes the first values of all publishers as one array, then the second ones, and so on.
  ///
  /// Finishes when one of them has finished and its values are used up; then the others are cancelled, as they
  /// are by a failure.
  public struct ZipMany<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    public let upstreams: [Upstream]

    @inlinable public init(_ upstreams: [Upstream]) { self.upstreams = upstreams }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let zipper = Zipper<Upstream.Output, S>(count: upstreams.count, subscriber)
      zipper.begin()
      for (index, upstream) in upstreams.enumerated() {
        upstream.receive(subscriber: ZipperInput(zipper: zipper, index: index))
      }
    }
  }
}

extension Collection where Element: Publisher {
  /// Publishes one value of each of these publishers at a time, in their order.
  @inlinable
  public func zip() -> Publishers.ZipMany<Element> { Publishers.ZipMany(Array(self)) }
}

@usableFromInline
struct ZipperInput<Input: Sendable, Downstream: Subscriber>: Subscriber where Downstream.Input == [Input] {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let zipper: Zipper<Input, Downstream>
  @usableFromInline let index: Int

  @inlinable
  init(zipper: Zipper<Input, Downstream>, index: Int) {
    self.zipper = zipper
    self.index = index
  }

  @inlinable func receive(subscription: any Subscription) { zipper.send(.subscribed(index, subscription)) }
  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    zipper.send(.value(index, input))
    return .none
  }
  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: zipper.send(.finished(index))
    case .failure(let error): zipper.send(.failed(index, error))
    }
  }
}
