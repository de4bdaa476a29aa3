import RuntimeSupport
import Synchronization

extension Publishers {
  /// Publishes the values of the publisher that is the first to send a value, and cancels the others.
  public struct Race<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publishers, in the order of subscription.
    public let upstreams: [Upstream]
    /// Combines the failures of all publishers, in order, into one failure. `nil` means that the last failure is used.
    @usableFromInline let combineFailures: (@Sendable ([Failure]) -> Failure)?

    @inlinable init(upstreams: [Upstream], combineFailures: (@Sendable ([Failure]) -> Failure)?) {
      self.upstreams = upstreams
      self.combineFailures = combineFailures
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      guard !upstreams.isEmpty else { return Empty<Output, Failure>().receive(subscriber: subscriber) }
      let race = RaceSubscription(count: upstreams.count, combineFailures: combineFailures)
      var subscriber = subscriber
      race.begin(&subscriber)
      for (index, upstream) in upstreams.enumerated() { race.start(upstream, at: index, for: subscriber) }
    }
  }

  /// Publishes the values of whichever of two publishers is the first to send a value, and cancels the other.
  public struct RacePair<First: Publisher, Second: Publisher>: Publisher
  where First.Output == Second.Output, First.Failure == Second.Failure {
    public typealias Output = First.Output
    public typealias Failure = First.Failure

    /// The publisher that is subscribed to first. If it immediately sends a value, `second` is not subscribed to.
    public let first: First
    /// The publisher that is subscribed to after `first`.
    public let second: Second
    /// Combines the failures of both publishers into one failure.
    @usableFromInline let combineFailures: @Sendable ([Failure]) -> Failure

    @inlinable
    init(_ first: First, _ second: Second, combineFailures: @escaping @Sendable ([Failure]) -> Failure) {
      self.first = first
      self.second = second
      self.combineFailures = combineFailures
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let race = RaceSubscription(count: 2, combineFailures: combineFailures)
      var subscriber = subscriber
      race.begin(&subscriber)
      race.start(first, at: 0, for: subscriber)
      race.start(second, at: 1, for: subscriber)
    }
  }
}

extension Collection where Element: Publisher {
  /// Publishes the values of the publisher that is the first to send a value, and cancels the others.
  ///
  /// Until then, demand goes to all publishers. If all fail, the failure is the result of `combineFailures` for their failures,
  /// in the order of the publishers. If all end without a value and at least one finishes, the stream ends like the last one to
  /// end. Without publishers it finishes immediately.
  @inlinable public func any(
    combineFailures: (@Sendable ([Element.Failure]) -> Element.Failure)? = nil
  ) -> Publishers.Race<Element> {
    Publishers.Race(upstreams: Array(self), combineFailures: combineFailures)
  }
}

extension Publisher {
  /// Publishes the values of this publisher or another, whichever is the first to send a value. If both fail, the failure is
  /// the result of `combineFailures` for the failures of this publisher and the other.
  @inlinable public func any<P: Publisher>(
    with other: P, combineFailures: @escaping @Sendable (Failure, Failure) -> Failure
  ) -> Publishers.RacePair<Self, P> where P.Output == Output, P.Failure == Failure {
    Publishers.RacePair(self, other) { combineFailures($0[0], $0[1]) }
  }
}

/// The subscription to a race, which the first publisher to send a value wins.
///
/// Invariant: no publisher or subscriber is called under the lock of `state`.
@usableFromInline final class RaceSubscription<Failure: Error>: Subscription {
  @usableFromInline struct State {
    /// The subscriptions to the running publishers, until one has won.
    @usableFromInline var upstreams: [(any Subscription)?]
    /// The number of publishers that have not ended.
    @usableFromInline var running: Int
    @usableFromInline var failures: [Int: Failure] = [:]
    @usableFromInline var demand = Subscribers.Demand.none
    @usableFromInline var winner: (index: Int, subscription: (any Subscription)?)?
    @usableFromInline var isCancelled = false
    /// Whether a thread is stopping the losers or sending the winner's last value. A cancellation then takes effect afterwards.
    @usableFromInline var isBusy = false
    @usableFromInline var whenIdle: (@Sendable () -> Void)?

    @inlinable init(count: Int) {
      upstreams = Array(repeating: nil, count: count)
      running = count
    }

    @inlinable var isOpen: Bool { winner == nil && !isCancelled }

    @inlinable mutating func takeRunning() -> [(any Subscription)?] {
      if let winner = winner.take() { return [winner.subscription] }
      defer { upstreams = [] }
      return upstreams
    }
  }

  @usableFromInline let state: Mutex<State>
  @usableFromInline let count: Int
  @usableFromInline let combineFailures: (@Sendable ([Failure]) -> Failure)?

  @inlinable init(count: Int, combineFailures: (@Sendable ([Failure]) -> Failure)?) {
    state = Mutex(State(count: count))
    self.count = count
    self.combineFailures = combineFailures
  }

  /// Passes this subscription to the subscriber, before any publisher starts.
  @inlinable func begin<S: Subscriber>(_ subscriber: inout S) {
    let demand = subscriber.receive(starting: self)
    state.withLock { $0.demand += demand }
  }

  /// Subscribes to a publisher, unless the race has a winner or was cancelled.
  @inlinable func start<P: Publisher, S: Subscriber>(_ upstream: P, at index: Int, for subscriber: S)
  where P.Output == S.Input, P.Failure == Failure, S.Failure == Failure {
    guard state.withLock({ $0.isOpen }) else { return }
    upstream.receive(subscriber: RaceInput(downstream: subscriber, race: self, index: index))
  }

  /// Receives the subscription to the publisher at `index` and returns the demand for that publisher.
  @inlinable func add(_ upstream: any Subscription, at index: Int) -> Subscribers.Demand {
    let demand: Subscribers.Demand? = state.withLock {
      if !$0.isOpen || $0.upstreams[index] != nil { return nil }
      $0.upstreams[index] = upstream
      return $0.demand
    }
    if let demand { return demand }
    upstream.cancel()
    return .none
  }

  /// Whether the publisher at `index` has won. The first publisher that calls this wins.
  @inlinable func wins(_ index: Int) -> Bool {
    let (wins, losers) = state.withLock { state -> (Bool, [(any Subscription)?]) in
      guard state.isOpen else { return (state.winner?.index == index, []) }
      var running = state.takeRunning()
      state.winner = (index, running[index])
      running[index] = nil
      state.isBusy = running.contains { $0 != nil }
      return (true, state.isBusy ? running : [])
    }
    if !losers.isEmpty { cancelAll(losers) { self.becomeIdle() } }
    return wins
  }

  /// Makes the publisher at `index` the winner, if there is none, and cancels the others. When they have stopped sending, calls
  /// `send`, which sends the winner's last value and must call ``sendUnlessCancelled(_:)``.
  @inlinable func win(_ index: Int, _ send: @escaping @Sendable () -> Void) {
    let losers: [(any Subscription)?]? = state.withLock { state in
      guard state.isOpen else { return nil }
      var running = state.takeRunning()
      state.winner = (index, running[index])
      state.isBusy = true
      running[index] = nil
      return running
    }
    guard let losers else { return }
    // A race of two publishers, the usual case, has only one loser to wait for, so it needs no countdown.
    if losers.count == 2 {
      if let loser = losers[1 - index] { loser.cancel(then: send) } else { send() }
    } else {
      cancelAll(losers, then: send)
    }
  }

  @usableFromInline func sendUnlessCancelled(_ send: () -> Void) {
    if state.withLock({ !$0.isCancelled }) { send() }
    becomeIdle()
  }

  @usableFromInline func becomeIdle() {
    let waiting = state.withLock { state in
      state.isBusy = false
      return state.whenIdle.take()
    }
    waiting?()
  }

  /// Records that the publisher at `index` has ended without a value. If it is the last to end, returns how the race ends.
  @inlinable func end(
    after completion: Subscribers.Completion<Failure>, of index: Int
  ) -> Subscribers.Completion<Failure>? {
    let (isLast, upstream) = state.withLock { state -> (Bool, (any Subscription)?) in
      guard state.isOpen else { return (false, nil) }
      state.running -= 1
      if case .failure(let error) = completion { state.failures[index] = error }
      return (state.running == 0, state.upstreams[index].take())
    }
    // Keeps the reference until here, so that it is released outside of the lock.
    withExtendedLifetime(upstream) {}
    guard isLast, wins(index) else { return nil }
    guard let combineFailures else { return completion }
    let failures = state.withLock { state in (0..<count).compactMap { state.failures[$0] } }
    return failures.count == count ? .failure(combineFailures(failures)) : completion
  }

  @usableFromInline func request(_ asked: Subscribers.Demand) {
    let asking = state.withLock {
      $0.demand += asked
      return $0.winner.map { [$0.subscription] } ?? $0.upstreams
    }
    for upstream in asking { upstream?.request(asked) }
  }

  @usableFromInline func cancel() { cancel {} }

  @usableFromInline func cancel(then action: @escaping @Sendable () -> Void) {
    let running = state.withLock { state in
      state.isCancelled = true
      return state.takeRunning()
    }
    cancelAll(running) {
      let isIdle = self.state.withLock { state in
        if !state.isBusy { return true }
        let earlier = state.whenIdle
        state.whenIdle = {
          earlier?()
          action()
        }
        return false
      }
      if isIdle { action() }
    }
  }
}

/// The subscriber of one publisher of a race, with a copy of the downstream subscriber for use if that publisher wins. The
/// index has only 32 bits, so that this struct fits into an `InlineStorage` if the downstream has two words.
@usableFromInline struct RaceInput<Downstream: Subscriber>: Subscriber {
  @usableFromInline var downstream: Downstream
  @usableFromInline let race: RaceSubscription<Downstream.Failure>
  @usableFromInline let index: Int32
  @usableFromInline var hasWon = false

  @inlinable init(downstream: Downstream, race: RaceSubscription<Downstream.Failure>, index: Int) {
    self.downstream = downstream
    self.race = race
    self.index = Int32(index)
  }

  @inlinable func receive(starting subscription: consuming any Subscription) -> Subscribers.Demand {
    race.add(subscription, at: Int(index))
  }
  @inlinable func receive(subscription: any Subscription) {
    let demand = receive(starting: subscription)
    if demand > .none { subscription.request(demand) }
  }
  @inlinable mutating func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    wins() ? downstream.receive(input) : .none
  }
  @inlinable mutating func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if hasWon {
      downstream.receive(completion: completion)
    } else if let end = race.end(after: completion, of: Int(index)) {
      downstream.receive(completion: end)
    }
  }
  @inlinable mutating func receive(last input: Downstream.Input) {
    if hasWon { return downstream.receive(last: input) }
    hasWon = true
    race.win(Int(index)) { [downstream, race] in
      race.sendUnlessCancelled {
        var downstream = downstream
        downstream.receive(last: input)
      }
    }
  }

  @inlinable mutating func wins() -> Bool {
    if !hasWon { hasWon = race.wins(Int(index)) }
    return hasWon
  }
}
