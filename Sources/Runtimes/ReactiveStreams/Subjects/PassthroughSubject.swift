/// Sends each value to the subscribers that have asked for one at that moment; the others miss it.
///
/// Every subscriber sees all sends in the same order. One that finds another under way, also from inside a subscriber, is
/// left to that thread and returns at once.
///
/// `@unchecked Sendable`: `members` and `completion` belong to the mailbox's handler.
public final class PassthroughSubject<Output: Sendable, Failure: Error>: Subject, @unchecked Sendable {
  @usableFromInline
  enum Event {
    case attach(SubjectSubscription<Output, Failure>)
    case detach(SubjectSubscription<Output, Failure>)
    case value(Output)
    case completion(Subscribers.Completion<Failure>)
  }

  @usableFromInline let mailbox = Mailbox<Event>()
  @usableFromInline @exclusivity(unchecked) var members = SubjectSubscriptionList<Output, Failure>()
  @usableFromInline @exclusivity(unchecked) var completion: Subscribers.Completion<Failure>?

  @usableFromInline let upstreams = SubjectUpstreams()

  /// Keeps no value: what is sent before somebody subscribes is lost.
  public init() {}

  @inlinable
  public func send(_ value: Output) {
    if mailbox.tryEnter() {
      members.forEach { _ = $0.offer(value) }
      mailbox.leave(handle)
    } else {
      mailbox.send(.value(value), handle)
    }
  }

  public func send(completion: Subscribers.Completion<Failure>) {
    mailbox.send(.completion(completion), handle)
    upstreams.end()
  }

  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let member = SubjectSubscription(subscriber) { member, change in
      if case .cancellation = change { self.mailbox.send(.detach(member), self.handle) }
    }
    mailbox.send(.attach(member), handle)
  }

  @inlinable
  func handle(_ event: Event) {
    switch event {
    case .value(let value):
      members.forEach { _ = $0.offer(value) }
    case .attach(let member):
      member.start()
      if let completion { member.finish(completion) } else { members.append(member) }
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

extension PassthroughSubject: SubscribedSubject {}
