import ReactiveStreams
import Synchronization

extension Publishers {
  /// Subscribes to its upstream once, for all its subscribers.
  public final class Share<Upstream: Publisher>: Operator {
    /// Subscribed to once for all, with the first subscriber.
    public let upstream: Upstream
    private let hub: ShareHub<Upstream>

    /// ``Publisher/share()`` makes it. It is a class: subscribers share what they are given the same instance of.
    public init(upstream: Upstream) {
      self.upstream = upstream
      hub = ShareHub(upstream)
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      hub.attach(ShareMember(AnySubscriber(subscriber), hub))
    }
  }
}

extension Publisher {
  /// Subscribes to this publisher once, with the first subscriber; the last that leaves cancels.
  ///
  /// All get the same values in the same order, from when they came. The slowest sets the pace: this publisher is
  /// asked for what every subscriber has asked for, so one that asks for nothing holds up the others; a `buffer` behind
  /// the share lets it fall back. If all of them have asked for everything, so has the share, unless this publisher
  /// waits (``Subscription/waitsForDemand``): then for 64 values ahead at most. After the end, or when all have left,
  /// the next subscriber starts anew.
  public func share() -> Publishers.Share<Self> { Publishers.Share(upstream: self) }
}

/// One subscriber of a share. Values that it has not asked for wait here: no more than the hub asks ahead.
///
/// `@unchecked Sendable`: the variables belong to the handler of the hub's mailbox.
final class ShareMember<Upstream: Publisher>: QuiescentSubscription, @unchecked Sendable {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let quiescence = Quiescence()
  private(set) var demand = Subscribers.Demand.none
  private let hub: ShareHub<Upstream>
  /// Set before the cancellation's turn in the mailbox comes, so that values ahead of it are not sent.
  private let isCancelled = Atomic<Bool>(false)
  private var subscriber: AnySubscriber<Output, Failure>?
  private var waiting = Queue<Output>()
  private var hasFinished = false

  init(_ subscriber: AnySubscriber<Output, Failure>, _ hub: ShareHub<Upstream>) {
    self.subscriber = subscriber
    self.hub = hub
  }

  func request(_ asked: Subscribers.Demand) { if asked > .none { hub.send(.request(self, asked)) } }

  var waitsForDemand: Bool { true }

  func cancel() { if !isCancelled.exchange(true, ordering: .relaxed) { hub.send(.detach(self)) } }

  // MARK: Inside the hub's mailbox

  func start() { subscriber?.receive(subscription: self) }

  func grant(_ asked: Subscribers.Demand) {
    demand += asked
    while demand > .none, let value = waiting.popFirst() { send(value) }
    if hasFinished, waiting.isEmpty { end(.finished) }
  }

  func receive(_ value: Output) { if demand > .none { send(value) } else { waiting.append(value) } }

  func receive(completion: Subscribers.Completion<Failure>) {
    if case .finished = completion, !waiting.isEmpty {
      hasFinished = true
    } else {
      end(completion)
    }
  }

  func drop() {
    subscriber = nil
    waiting.removeAll()
  }

  private func send(_ value: Output) {
    if isCancelled.load(ordering: .relaxed) { return }
    demand -= .max(1)
    if let more = subscriber?.receive(value) { demand += more }
  }

  private func end(_ completion: Subscribers.Completion<Failure>) {
    let last = subscriber.take()
    if !isCancelled.load(ordering: .relaxed) { last?.receive(completion: completion) }
    waiting.removeAll()
    quiescence.declareOver()
  }
}

/// The one subscription behind a share, and its members.
///
/// `@unchecked Sendable`: the variables, and the members' too, belong to the mailbox's handler.
final class ShareHub<Upstream: Publisher>: @unchecked Sendable {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure
  typealias Member = ShareMember<Upstream>

  enum Event {
    case attach(Member)
    case detach(Member)
    case request(Member, Subscribers.Demand)
    case subscribed(Int, any Subscription)
    case value(Int, Output)
    case completion(Int, Subscribers.Completion<Failure>)
  }

  private let publisher: Upstream
  private let mailbox = Mailbox<Event>()
  private var members: [Member] = []
  private var upstream: (any Subscription)?
  /// Tells the running subscription from those before it.
  private var number = 0
  /// Values asked of the upstream and not yet come.
  private var outstanding = Subscribers.Demand.none
  /// Members that have asked for no more than is on its way. Without one, more can be asked for.
  private var laggards = 0

  init(_ publisher: Upstream) { self.publisher = publisher }

  func attach(_ member: Member) { send(.attach(member)) }

  func send(_ event: Event) { mailbox.send(event, handle) }

  private func handle(_ event: Event) {
    switch event {
    case .attach(let member):
      member.start()
      members.append(member)
      laggards += 1
      if members.count == 1 { connect() }
    case .detach(let member): detach(member)
    case .request(let member, let asked):
      let lagged = member.demand <= outstanding
      member.grant(asked)
      if lagged, member.demand > outstanding { laggards -= 1 }
      if laggards <= 0 { ask() }
    case .subscribed(number, let subscription) where upstream == nil:
      upstream = subscription
      ask()
    case .subscribed(_, let unwanted): unwanted.cancel()
    case .value(number, let value):
      outstanding -= .max(1)
      for member in members { member.receive(value) }
      ask()
    case .completion(number, let completion):
      let ended = members
      disconnect()
      for member in ended { member.receive(completion: completion) }
    case .value, .completion: return
    }
  }

  private func connect() {
    number += 1
    publisher.receive(subscriber: ShareInput(hub: self, number: number))
  }

  private func disconnect() {
    number += 1
    members = []
    upstream = nil
    outstanding = .none
    laggards = 0
  }

  private func detach(_ member: Member) {
    member.drop()
    let others = members.filter { $0 !== member }
    if others.count == members.count { return member.quiescence.declareOver() }
    members = others
    if members.isEmpty, let upstream {
      disconnect()
      upstream.cancel { member.quiescence.declareOver() }
    } else {
      if members.isEmpty { disconnect() }
      member.quiescence.declareOver()
      ask()
    }
  }

  /// Asks for what all members have asked for.
  private func ask() {
    guard let upstream, let least = members.map(\.demand).min() else { return }
    least.ask(upstream, &outstanding)
    laggards = members.count { $0.demand <= outstanding }
  }
}

/// Brings the upstream's signals to the hub.
private struct ShareInput<Upstream: Publisher>: Subscriber {
  let hub: ShareHub<Upstream>
  let number: Int

  func receive(subscription: any Subscription) { hub.send(.subscribed(number, subscription)) }
  func receive(_ input: Upstream.Output) -> Subscribers.Demand {
    hub.send(.value(number, input))
    return .none
  }
  func receive(completion: Subscribers.Completion<Upstream.Failure>) {
    hub.send(.completion(number, completion))
  }
}
