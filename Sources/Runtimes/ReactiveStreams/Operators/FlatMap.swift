import Synchronization

extension Publishers {
  /// Makes an inner publisher for each value and publishes the values of all inner publishers.
  public struct FlatMap<Inner: Publisher, Upstream: Publisher>: Operator
  where Inner.Failure == Upstream.Failure {
    public typealias Output = Inner.Output

    public let upstream: Upstream
    /// The largest number of inner publishers at a time, which is also the number of values requested from the upstream.
    public let maxPublishers: Subscribers.Demand
    /// Whether values are sent in the order of the upstream's values, not in the order of arrival.
    public let keepsOrder: Bool
    /// Called once for each value, on the thread that sends it.
    public let transform: @Sendable (Upstream.Output) -> Inner

    /// Creates the publisher that `flatMap`, `concatMap` and `merge` return.
    @inlinable public init(
      upstream: Upstream, maxPublishers: Subscribers.Demand, keepsOrder: Bool,
      transform: @escaping @Sendable (Upstream.Output) -> Inner
    ) {
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.keepsOrder = keepsOrder
      self.transform = transform
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let fanIn = FanIn(subscriber, maxPublishers: maxPublishers, keepsOrder: keepsOrder)
      upstream.receive(subscriber: FanInOuter(fanIn, transform))
    }
  }

  /// Publishes the values of several publishers in the order of arrival.
  public typealias MergeMany<Upstream: Publisher> =
    FlatMap<Upstream, SetFailureType<Sequence<[Upstream], Never>, Upstream.Failure>>
}

extension Publisher {
  /// Starts an inner publisher for each value, at most `maxPublishers` at a time, and publishes their values as they arrive.
  ///
  /// Values are sent on the thread of their inner publisher or of another inner publisher that is sending at that time. The
  /// first failure cancels the other inner publishers. Each inner publisher receives requests for one value at a time. A
  /// recursive function that returns a `flatMap` needs 1 KiB of stack for each level.
  @inlinable public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Failure {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, keepsOrder: false, transform: transform)
  }

  /// Like `flatMap`, but publishes the values in the order of this publisher's values.
  ///
  /// A value that arrives early waits for those before it. Any number of values may wait, because inner publishers that have
  /// finished do not count towards `maxPublishers`.
  @inlinable public func concatMapEager<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Failure {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, keepsOrder: true, transform: transform)
  }

  /// Starts an inner publisher for each value, after the previous inner publisher has finished.
  @inlinable public func concatMap<P: Publisher>(
    _ transform: @escaping @Sendable (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Failure {
    flatMap(maxPublishers: .max(1), transform)
  }

  /// Publishes the values of this publisher and another in the order of arrival.
  @inlinable
  public func merge<P: Publisher>(with other: P) -> Publishers.MergeMany<AnyPublisher<Output, Failure>>
  where P.Output == Output, P.Failure == Failure {
    [eraseToAnyPublisher(), other.eraseToAnyPublisher()].merge()
  }
}

extension Publisher where Failure == Never {
  /// Like `flatMap(maxPublishers:_:)`, for a publisher that cannot fail.
  @inlinable public func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
  ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
    setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
  }

  /// Like `concatMapEager(maxPublishers:_:)`, for a publisher that cannot fail.
  @inlinable public func concatMapEager<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
  ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
    setFailureType(to: P.Failure.self).concatMapEager(maxPublishers: maxPublishers, transform)
  }

  /// Like `concatMap(_:)`, for a publisher that cannot fail.
  @inlinable public func concatMap<P: Publisher>(
    _ transform: @escaping @Sendable (Output) -> P
  ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
    flatMap(maxPublishers: .max(1), transform)
  }
}

extension Collection where Element: Publisher {
  /// Publishes the values of all these publishers in the order of arrival. Without publishers it finishes immediately.
  @inlinable
  public func merge(maxPublishers: Subscribers.Demand = .unlimited) -> Publishers.MergeMany<Element> {
    Array(self).publisher.flatMap(maxPublishers: maxPublishers) { $0 }
  }
}

/// The subscriber of the outer publisher. It starts an inner publisher for each value.
@usableFromInline struct FanInOuter<Input: Sendable, Inner: Publisher, Downstream: Subscriber>: Subscriber
where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {
  @usableFromInline let fanIn: FanIn<Downstream>
  @usableFromInline let transform: @Sendable (Input) -> Inner
  /// The segment (memory for several inner publishers) that the next inner publisher uses. `nil` before the subscription.
  @usableFromInline var segment: FanInSegment<Downstream>?
  @usableFromInline var index = 0
  @usableFromInline var started = 0

  @inlinable init(_ fanIn: FanIn<Downstream>, _ transform: @escaping @Sendable (Input) -> Inner) {
    self.fanIn = fanIn
    self.transform = transform
  }

  @inlinable mutating func receive(subscription: any Subscription) {
    guard segment == nil else { return subscription.cancel() }
    segment = fanIn.begin(subscription)
  }

  @inlinable mutating func receive(_ input: Input) -> Subscribers.Demand {
    start(input, isLast: false)
    return .none
  }

  @inlinable mutating func receive(last input: Input) { start(input, isLast: true) }

  @inlinable @inline(__always) mutating func start(_ input: Input, isLast: Bool) {
    if index == segment?.capacity { extend() }
    // Read after `extend`: either this thread sees that the stream was stopped, or the stopping thread sees the new segment.
    if fanIn.flags.load(ordering: .sequentiallyConsistent) & FanIn<Downstream>.stopped != 0 { return }
    guard let segment else { return }
    let slot = segment[index]
    index += 1
    started += 1
    // The number of inner publishers is recorded before the last one starts, because the last one's end also ends the stream.
    let isAnnounced = isLast && fanIn.announce(total: started)
    transform(input).receive(subscriber: FanInInner(segment: segment, slot: slot))
    if isAnnounced { fanIn.leaveUpstream() }
  }

  @inlinable mutating func extend() {
    let next = FanInSegment(fanIn, capacity: FanInSegment<Downstream>.largestCapacity)
    segment?.link(next)
    segment = next
    index = 0
  }

  @inlinable mutating func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if let error = completion.error {
      fanIn.failUpstream(error)
    } else {
      fanIn.finishUpstream(total: started)
    }
  }
}
