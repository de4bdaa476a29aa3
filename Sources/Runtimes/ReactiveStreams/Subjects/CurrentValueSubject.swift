import Synchronization

/// Holds a value, sends it to each new subscriber when asked, and every change after it. One that has not asked when the
/// value changes gets the latest when it asks: older ones are skipped, none is repeated.
///
/// `@unchecked Sendable`: the variables belong to the mailbox's handler, but for `latest`, which has a lock.
public final class CurrentValueSubject<Output: Sendable, Failure: Error>: Subject, @unchecked Sendable {
  private enum Event {
    case attach(SubjectSubscription<Output, Failure>)
    case detach(SubjectSubscription<Output, Failure>)
    case demand(SubjectSubscription<Output, Failure>)
    case value(Output)
    case completion(Subscribers.Completion<Failure>)
  }

  private let mailbox = Mailbox<Event>()
  private struct Latest {
    var value: Output
    var hasEnded = false
  }

  private let latest: Mutex<Latest>
  private var members = SubjectSubscriptionList<Output, Failure>()
  private var current: Output
  private var completion: Subscribers.Completion<Failure>?

  @usableFromInline let upstreams = SubjectUpstreams()

  /// The value is what subscribers get until another is sent.
  public init(_ value: Output) {
    current = value
    latest = Mutex(Latest(value: value))
  }

  /// The value sent last before the end. Setting it sends.
  public var value: Output {
    get { latest.withLock { $0.value } }
    set { send(newValue) }
  }

  public func send(_ value: Output) {
    let event = Event.value(value)
    // What was kept before is let go of outside of the lock.
    var kept = value
    // Under the lock, so that values have the order in which they are kept; they are sent outside of it.
    let turn: Mailbox<Event>.Turn = latest.withLock {
      if $0.hasEnded { return .nothing }
      swap(&$0.value, &kept)
      return mailbox.queueUp(event)
    }
    mailbox.take(turn, event, handle)
  }

  public func send(completion: Subscribers.Completion<Failure>) {
    let event = Event.completion(completion)
    let turn: Mailbox<Event>.Turn = latest.withLock {
      if $0.hasEnded { return .nothing }
      $0.hasEnded = true
      return mailbox.queueUp(event)
    }
    mailbox.take(turn, event, handle)
    upstreams.end()
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let member = SubjectSubscription(subscriber) { member, change in
      switch change {
      case .demand: self.mailbox.send(.demand(member), self.handle)
      case .cancellation: self.mailbox.send(.detach(member), self.handle)
      }
    }
    mailbox.send(.attach(member), handle)
  }

  private func handle(_ event: Event) {
    switch event {
    case .value(let value):
      if completion != nil { return }
      current = value
      members.forEach { $0.isBehind = !$0.offer(value) }
    case .demand(let member):
      if member.isListed, member.isBehind { member.isBehind = !member.offer(current) }
    case .attach(let member):
      member.start()
      if let completion {
        member.finish(completion)
      } else {
        members.append(member)
        member.isBehind = !member.offer(current)
      }
    case .detach(let member):
      members.remove(member)
      member.drop()
    case .completion(let end):
      if completion != nil { return }
      completion = end
      while let member = members.popFirst() { member.finish(end) }
    }
  }
}

extension CurrentValueSubject: SubscribedSubject {}
