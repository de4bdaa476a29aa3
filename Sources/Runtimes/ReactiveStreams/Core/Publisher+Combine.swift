#if canImport(Combine)
  import Combine
  import Synchronization

  extension ReactiveStreams.Publisher {
    /// This publisher as one of Combine's.
    public var combine: CombinePublisher<Self> { CombinePublisher(upstream: self) }
  }

  /// A publisher of ours for subscribers of Combine's.
  public struct CombinePublisher<Upstream: ReactiveStreams.Publisher>: Combine.Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    let upstream: Upstream

    public func receive<S: Combine.Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: CombineOutput(subscriber))
    }
  }

  /// Passes our signals on to a subscriber of Combine's.
  ///
  /// `@unchecked Sendable`: our signals are serial, and only they touch the subscriber.
  private final class CombineOutput<Downstream: Combine.Subscriber>: ReactiveStreams.Subscriber,
    @unchecked Sendable
  where Downstream.Input: Sendable {
    typealias Input = Downstream.Input
    typealias Failure = Downstream.Failure

    private let downstream: Downstream

    init(_ downstream: Downstream) { self.downstream = downstream }

    func receive(subscription: any ReactiveStreams.Subscription) {
      downstream.receive(subscription: CombineLink(subscription))
    }
    func receive(_ input: Input) -> ReactiveStreams.Subscribers.Demand {
      downstream.receive(input).max.map { .max($0) } ?? .unlimited
    }
    func receive(completion: ReactiveStreams.Subscribers.Completion<Failure>) {
      switch completion {
      case .finished: downstream.receive(completion: .finished)
      case .failure(let error): downstream.receive(completion: .failure(error))
      }
    }
  }

  /// A subscription of ours for a subscriber of Combine's.
  private final class CombineLink: Combine.Subscription {
    private let upstream: any ReactiveStreams.Subscription

    init(_ upstream: any ReactiveStreams.Subscription) { self.upstream = upstream }

    func request(_ demand: Combine.Subscribers.Demand) {
      upstream.request(demand.max.map { .max($0) } ?? .unlimited)
    }
    func cancel() { upstream.cancel() }
  }

  extension Combine.Publisher where Output: Sendable {
    /// This publisher of Combine's as one of ours. It must allow subscribing from any thread.
    public var reactiveStream: ReactiveStreamPublisher<Self> { ReactiveStreamPublisher(upstream: self) }
  }

  /// A publisher of Combine's for subscribers of ours.
  ///
  /// `@unchecked Sendable`: whoever makes it promises that the publisher may be subscribed to from any thread.
  public struct ReactiveStreamPublisher<Upstream: Combine.Publisher>: ReactiveStreams.Publisher,
    @unchecked Sendable
  where Upstream.Output: Sendable {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    let upstream: Upstream

    public func receive<S: ReactiveStreams.Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: CombineInput(subscriber))
    }
  }

  /// A subscription of Combine's, which takes calls from any thread: that makes it `@unchecked Sendable`.
  private struct CombineUpstream: @unchecked Sendable {
    let subscription: any Combine.Subscription
  }

  /// Passes Combine's signals on to a subscriber of ours.
  ///
  /// Combine may send from inside a request that comes from inside `receive(subscription:)`, ours must not: such
  /// requests wait until that is over.
  ///
  /// `@unchecked Sendable`: Combine's signals are serial, and only they touch the subscriber.
  private final class CombineInput<Downstream: ReactiveStreams.Subscriber>: Combine.Subscriber,
    ReactiveStreams.Subscription, @unchecked Sendable
  {
    typealias Input = Downstream.Input
    typealias Failure = Downstream.Failure

    private struct State {
      var upstream: CombineUpstream?
      var isOpen = false
      var demand = ReactiveStreams.Subscribers.Demand.none
    }

    private let state = Mutex(State())
    private var downstream: Downstream?

    init(_ downstream: Downstream) { self.downstream = downstream }

    // MARK: Combine's side

    func receive(subscription: any Combine.Subscription) {
      let upstream = CombineUpstream(subscription: subscription)
      state.withLock { $0.upstream = upstream }
      downstream?.receive(subscription: self)
      let demand = state.withLock {
        $0.isOpen = true
        return $0.demand
      }
      if demand > .none { request(demand) }
    }
    func receive(_ input: Input) -> Combine.Subscribers.Demand {
      guard let more = downstream?.receive(input) else { return .none }
      return more.max.map { .max($0) } ?? .unlimited
    }
    func receive(completion: Combine.Subscribers.Completion<Failure>) {
      state.withLock { $0.upstream = nil }
      var subscriber = downstream.take()
      switch completion {
      case .finished: subscriber?.receive(completion: .finished)
      case .failure(let error): subscriber?.receive(completion: .failure(error))
      }
    }

    // MARK: Our side

    func request(_ demand: ReactiveStreams.Subscribers.Demand) {
      let upstream = state.withLock {
        if !$0.isOpen { $0.demand += demand }
        return $0.isOpen ? $0.upstream : nil
      }
      if demand > .none { upstream?.subscription.request(demand.max.map { .max($0) } ?? .unlimited) }
    }
    func cancel() { state.withLock { $0.upstream.take() }?.subscription.cancel() }
  }
#endif
