/// Sends each value to the subscribers that have asked for one at that moment; the others miss it.
///
/// Sends from several threads are serialised, and every subscriber sees them in the same order. A send that
/// finds another one under way, also one from inside a subscriber, is left to that thread and returns at once.
///
/// `@unchecked Sendable`: `conduits` and `completion` belong to the mailbox's handler.
public final class PassthroughSubject<Output: Sendable, Failure: Error>: Subject, @unchecked Sendable {
  @usableFromInline
  enum Event {
    case attach(Conduit<Output, Failure>)
    case detach(Conduit<Output, Failure>)
    case value(Output)
    case completion(Subscribers.Completion<Failure>)
  }

  @usableFromInline let mailbox = Mailbox<Event>()
  @usableFromInline @exclusivity(unchecked) var conduits: [Conduit<Output, Failure>] = []
  @usableFromInline @exclusivity(unchecked) var completion: Subscribers.Completion<Failure>?

  public init() {}

  @inlinable
  public func send(_ value: Output) { mailbox.send(.value(value), handle) }

  public func send(completion: Subscribers.Completion<Failure>) {
    mailbox.send(.completion(completion), handle)
  }

  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let conduit = Conduit(subscriber) { conduit, change in
      if case .cancellation = change { self.mailbox.send(.detach(conduit), self.handle) }
    }
    mailbox.send(.attach(conduit), handle)
  }

  @inlinable
  func handle(_ event: Event) {
    switch event {
    case .value(let value):
      for conduit in conduits { _ = conduit.offer(value) }
    case .attach(let conduit):
      conduit.receiveSubscription?(conduit)
      if let completion { conduit.finish(completion) } else { conduits.append(conduit) }
    case .detach(let conduit):
      conduits.removeAll { $0 === conduit }
      conduit.drop()
    case .completion(let end):
      if completion != nil { return }
      completion = end
      let ended = conduits
      conduits = []
      for conduit in ended { conduit.finish(end) }
    }
  }
}
