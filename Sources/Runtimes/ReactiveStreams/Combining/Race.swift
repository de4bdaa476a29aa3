import RuntimeTiming
import Synchronization

extension Publishers {
  /// Publishes what the first of several publishers to send anything sends; the others are cancelled.
  public struct Race<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstreams: [Upstream]
    /// Whether only a value wins: an end does not, until it is the last.
    public let needsValue: Bool
    /// What the failure is made of when all have failed, in their order; nil: it is that of the last.
    let combineFailures: (@Sendable ([Failure]) -> Failure)?

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      guard !upstreams.isEmpty else { return Empty<Output, Failure>().receive(subscriber: subscriber) }
      var subscriber = subscriber
      let race = RaceSubscription<Failure>(
        count: upstreams.count, needsValue: needsValue, combineFailures: combineFailures)
      subscriber.receive(subscription: race)
      for (index, upstream) in upstreams.enumerated() {
        upstream.receive(subscriber: RaceInput(downstream: subscriber, race: race, index: index))
      }
    }
  }
}

extension Collection where Element: Publisher {
  /// Publishes what the first of these publishers to send a value or an end sends, and cancels the others.
  ///
  /// All are asked for what the downstream asks for until one has won.
  public func race() -> Publishers.Race<Element> {
    Publishers.Race(upstreams: Array(self), needsValue: false, combineFailures: nil)
  }

  /// Publishes what the first of these publishers to send a value sends, and cancels the others.
  ///
  /// One that fails or finishes without a value is out; when all are out, the end is that of the last.
  public func any() -> Publishers.Race<Element> {
    Publishers.Race(upstreams: Array(self), needsValue: true, combineFailures: nil)
  }

  /// Publishes what the first of these publishers to send a value sends, and cancels the others.
  ///
  /// One that fails or finishes without a value is out. When all have failed, `combineFailures` is given the failures
  /// in the order of the publishers and says what the failure is.
  public func any(
    combineFailures: @escaping @Sendable ([Element.Failure]) -> Element.Failure
  ) -> Publishers.Race<Element> {
    Publishers.Race(upstreams: Array(self), needsValue: true, combineFailures: combineFailures)
  }
}

extension Publisher {
  /// Publishes what this publisher or another sends, whichever sends first.
  public func race<P: Publisher>(with other: P) -> Publishers.Race<AnyPublisher<Output, Failure>>
  where P.Output == Output, P.Failure == Failure {
    [eraseToAnyPublisher(), other.eraseToAnyPublisher()].race()
  }

  /// Publishes what this publisher or another sends, whichever sends a value first; if both fail, what
  /// `combineFailures` makes of this one's failure and the other's.
  public func any<P: Publisher>(
    with other: P, combineFailures: @escaping @Sendable (Failure, Failure) -> Failure
  ) -> Publishers.Race<AnyPublisher<Output, Failure>> where P.Output == Output, P.Failure == Failure {
    [eraseToAnyPublisher(), other.eraseToAnyPublisher()].any { combineFailures($0[0], $0[1]) }
  }
}

/// The lock is never held while anyone is called.
private final class RaceSubscription<Failure: Error>: Subscription {
  private struct State {
    var upstreams: [(any Subscription)?]
    /// Those that have not ended.
    var running: Int
    var failures: [Failure?]
    var demand = Subscribers.Demand.none
    var winner: Int?
    var isCancelled = false
  }

  private let state: Mutex<State>
  private let count: Int
  private let needsValue: Bool

  private let combineFailures: (@Sendable ([Failure]) -> Failure)?

  init(count: Int, needsValue: Bool, combineFailures: (@Sendable ([Failure]) -> Failure)?) {
    state = Mutex(
      State(
        upstreams: Array(repeating: nil, count: count), running: count,
        failures: Array(repeating: nil, count: count)))
    self.count = count
    self.needsValue = needsValue
    self.combineFailures = combineFailures
  }

  func add(_ upstream: any Subscription, at index: Int) {
    let demand: Subscribers.Demand? = state.withLock {
      if $0.isCancelled || $0.winner != nil || $0.upstreams[index] != nil { return nil }
      $0.upstreams[index] = upstream
      return $0.demand
    }
    if let demand { upstream.request(demand) } else { upstream.cancel() }
  }

  /// Whether the publisher at `index` has won, which the first one to ask has.
  func wins(_ index: Int) -> Bool {
    let (wins, losers) = state.withLock { state -> (Bool, [any Subscription]) in
      if let winner = state.winner { return (winner == index, []) }
      if state.isCancelled { return (false, []) }
      state.winner = index
      let losers = state.upstreams.indices.filter { $0 != index }.compactMap { state.upstreams[$0] }
      for loser in state.upstreams.indices where loser != index { state.upstreams[loser] = nil }
      return (true, losers)
    }
    for loser in losers { loser.cancel() }
    return wins
  }

  /// The end of the race, if that of the publisher at `index`, which has sent no value, is it.
  func end(
    after completion: Subscribers.Completion<Failure>, of index: Int
  ) -> Subscribers.Completion<Failure>? {
    if needsValue {
      let isLast = state.withLock {
        $0.upstreams[index] = nil
        $0.running -= 1
        if case .failure(let error) = completion { $0.failures[index] = error }
        return $0.running == 0
      }
      if !isLast { return nil }
    }
    guard wins(index) else { return nil }
    let failures = state.withLock { $0.failures.compactMap { $0 } }
    guard let combineFailures, failures.count == count else { return completion }
    return .failure(combineFailures(failures))
  }

  func request(_ asked: Subscribers.Demand) {
    let asking = state.withLock {
      $0.demand += asked
      return $0.upstreams.compactMap { $0 }
    }
    for upstream in asking { upstream.request(asked) }
  }

  func cancel() { cancel {} }

  func cancel(then action: @escaping @Sendable () -> Void) {
    let running = state.withLock { state in
      state.isCancelled = true
      defer { state.upstreams = state.upstreams.map { _ in nil } }
      return state.upstreams.compactMap { $0 }
    }
    let countdown = Countdown(running.count + 1, action)
    for upstream in running { upstream.cancel { countdown.arrive() } }
    countdown.arrive()
  }
}

private struct RaceInput<Downstream: Subscriber>: Subscriber {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  var downstream: Downstream
  let race: RaceSubscription<Failure>
  let index: Int
  var hasWon = false

  mutating func receive(subscription: any Subscription) { race.add(subscription, at: index) }
  mutating func receive(_ input: Input) -> Subscribers.Demand { wins() ? downstream.receive(input) : .none }
  mutating func receive(completion: Subscribers.Completion<Failure>) {
    if hasWon {
      downstream.receive(completion: completion)
    } else if let end = race.end(after: completion, of: index) {
      downstream.receive(completion: end)
    }
  }
  mutating func receive(last input: Input) {
    if wins() { downstream.receive(last: input) }
  }

  private mutating func wins() -> Bool {
    if !hasWon { hasWon = race.wins(index) }
    return hasWon
  }
}
