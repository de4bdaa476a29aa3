import Synchronization

/// Holds a value, sends it to each new subscriber when asked, and every change after it.
///
/// A subscriber that has not asked when the value changes gets the latest one when it asks: older ones are
/// skipped, none is repeated.
///
/// `@unchecked Sendable`: the variables belong to the mailbox's handler, but for `latest`, which has a lock.
public final class CurrentValueSubject<Output: Sendable, Failure: Error>: Subject, @unchecked Sendable {
  private enum Event {
    case attach(Conduit<Output, Failure>)
    case detach(Conduit<Output, Failure>)
    case demand(Conduit<Output, Failure>)
    case value(Output)
    case completion(Subscribers.Completion<Failure>)
  }

  private let mailbox = Mailbox<Event>()
  private let latest: Mutex<Output>
  private var members = ConduitList<Output, Failure>()
  private var current: Output
  private var completion: Subscribers.Completion<Failure>?

  /// Where this subject's own subscription is kept, if it subscribes to a publisher.
  let upstream = SubscriptionSlot()

  /// The value is what subscribers get until another is sent.
  public init(_ value: Output) {
    current = value
    latest = Mutex(value)
  }

  /// The value sent last. Setting it sends.
  public var value: Output {
    get { latest.withLock { $0 } }
    set { send(newValue) }
  }

  public func send(_ value: Output) {
    let event = Event.value(value)
    // What was kept before is let go of outside of the lock.
    var kept = value
    // Under the lock, so that values have the order in which they are kept; they are sent outside of it.
    let turn = latest.withLock {
      swap(&$0, &kept)
      return mailbox.queueUp(event)
    }
    mailbox.take(turn, event, handle)
  }

  public func send(completion: Subscribers.Completion<Failure>) {
    mailbox.send(.completion(completion), handle)
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let conduit = Conduit(subscriber) { conduit, change in
      switch change {
      case .demand: self.mailbox.send(.demand(conduit), self.handle)
      case .cancellation: self.mailbox.send(.detach(conduit), self.handle)
      }
    }
    mailbox.send(.attach(conduit), handle)
  }

  private func handle(_ event: Event) {
    switch event {
    case .value(let value):
      if completion != nil { return }
      current = value
      members.forEach { $0.isBehind = !$0.offer(value) }
    case .demand(let conduit):
      if conduit.isListed, conduit.isBehind { conduit.isBehind = !conduit.offer(current) }
    case .attach(let conduit):
      conduit.start()
      if let completion {
        conduit.finish(completion)
      } else {
        members.append(conduit)
        conduit.isBehind = !conduit.offer(current)
      }
    case .detach(let conduit):
      members.remove(conduit)
      conduit.drop()
    case .completion(let end):
      if completion != nil { return }
      completion = end
      while let conduit = members.popFirst() { conduit.finish(end) }
    }
  }
}
