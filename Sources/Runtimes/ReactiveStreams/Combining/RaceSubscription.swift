import RuntimeSupport
import Synchronization

/// The downstream's subscription to a race: knows who runs, who has won and what was asked for.
///
/// The lock is never held while anyone is called.
@usableFromInline
final class RaceSubscription<Failure: Error>: Subscription {
  @usableFromInline
  struct State {
    /// Those that run, until one has won.
    @usableFromInline var upstreams: [(any Subscription)?]
    /// How many have not ended.
    @usableFromInline var running: Int
    @usableFromInline var failures: [Int: Failure] = [:]
    @usableFromInline var demand = Subscribers.Demand.none
    @usableFromInline var winner: (index: Int, subscription: (any Subscription)?)?
    @usableFromInline var isCancelled = false

    @inlinable
    init(count: Int) {
      upstreams = Array(repeating: nil, count: count)
      running = count
    }

    @inlinable var isOpen: Bool { winner == nil && !isCancelled }

    /// Takes out all that run.
    @inlinable
    mutating func takeRunning() -> [(any Subscription)?] {
      if let winner = winner.take() { return [winner.subscription] }
      defer { upstreams = [] }
      return upstreams
    }
  }

  @usableFromInline let state: Mutex<State>
  @usableFromInline let count: Int
  @usableFromInline let needsValue: Bool
  @usableFromInline let combineFailures: (@Sendable ([Failure]) -> Failure)?

  @inlinable
  init(count: Int, needsValue: Bool, combineFailures: (@Sendable ([Failure]) -> Failure)?) {
    state = Mutex(State(count: count))
    self.count = count
    self.needsValue = needsValue
    self.combineFailures = combineFailures
  }

  /// Hands the subscription out. Called once, before any publisher is started.
  @inlinable
  func begin<S: Subscriber>(_ subscriber: inout S) {
    let demand = subscriber.receive(starting: self)
    state.withLock { $0.demand += demand }
  }

  /// Subscribes to a publisher, unless the race is over.
  @inlinable
  func start<P: Publisher, S: Subscriber>(_ upstream: P, at index: Int, for subscriber: S)
  where P.Output == S.Input, P.Failure == Failure, S.Failure == Failure {
    guard state.withLock({ $0.isOpen }) else { return }
    upstream.receive(subscriber: RaceInput(downstream: subscriber, race: self, index: index))
  }

  /// Takes the subscription to the publisher at `index`; returns the demand for it.
  @inlinable
  func add(_ upstream: any Subscription, at index: Int) -> Subscribers.Demand {
    let demand: Subscribers.Demand? = state.withLock {
      if !$0.isOpen || $0.upstreams[index] != nil { return nil }
      $0.upstreams[index] = upstream
      return $0.demand
    }
    if let demand { return demand }
    upstream.cancel()
    return .none
  }

  /// Whether the publisher at `index` has won, which the first one to ask has.
  @inlinable
  func wins(_ index: Int) -> Bool {
    let (wins, running) = state.withLock { state -> (Bool, [(any Subscription)?]) in
      guard state.isOpen else { return (state.winner?.index == index, []) }
      let running = state.takeRunning()
      state.winner = (index, running[index])
      return (true, running)
    }
    for (other, loser) in running.enumerated() where other != index { loser?.cancel() }
    return wins
  }

  /// The end of the race, if that of the publisher at `index`, which has sent no value, is it.
  @inlinable
  func end(
    after completion: Subscribers.Completion<Failure>, of index: Int
  ) -> Subscribers.Completion<Failure>? {
    if needsValue {
      let (isLast, upstream) = state.withLock { state -> (Bool, (any Subscription)?) in
        guard state.isOpen else { return (false, nil) }
        state.running -= 1
        if case .failure(let error) = completion { state.failures[index] = error }
        return (state.running == 0, state.upstreams[index].take())
      }
      // Taken under the lock and released here.
      withExtendedLifetime(upstream) {}
      if !isLast { return nil }
    }
    guard wins(index) else { return nil }
    guard let combineFailures else { return completion }
    let failures = state.withLock { state in (0..<count).compactMap { state.failures[$0] } }
    return failures.count == count ? .failure(combineFailures(failures)) : completion
  }

  @usableFromInline
  func request(_ asked: Subscribers.Demand) {
    let asking = state.withLock {
      $0.demand += asked
      return $0.winner.map { [$0.subscription] } ?? $0.upstreams
    }
    for upstream in asking { upstream?.request(asked) }
  }

  @usableFromInline func cancel() { cancel {} }

  @usableFromInline
  func cancel(then action: @escaping @Sendable () -> Void) {
    let running = state.withLock { state in
      state.isCancelled = true
      return state.takeRunning()
    }
    cancelAll(running, then: action)
  }
}

/// Reports to a race from one publisher. Its copy of the downstream is the one that is used if that publisher wins.
///
/// The index is short so that an input with a downstream of two words still fits into an `InlineStorage`.
@usableFromInline
struct RaceInput<Downstream: Subscriber>: Subscriber {
  @usableFromInline var downstream: Downstream
  @usableFromInline let race: RaceSubscription<Downstream.Failure>
  @usableFromInline let index: Int32
  @usableFromInline var hasWon = false

  @inlinable
  init(downstream: Downstream, race: RaceSubscription<Downstream.Failure>, index: Int) {
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
    if wins() { downstream.receive(last: input) }
  }

  @inlinable mutating func wins() -> Bool {
    if !hasWon { hasWon = race.wins(Int(index)) }
    return hasWon
  }
}
