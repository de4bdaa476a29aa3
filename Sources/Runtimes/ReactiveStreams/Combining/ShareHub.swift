import Synchronization

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
