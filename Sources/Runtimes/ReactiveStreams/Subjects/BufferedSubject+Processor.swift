/// Keeps what a publisher sends it: `publisher.subscribe(subject)`.
///
/// It asks for everything at once; what its subscribers have not asked for waits in their buffers. A second
/// subscription, and one that comes after the end, is cancelled.
extension BufferedSubject: Processor {
  public func receive(subscription: any Subscription) {
    if upstream.keep(subscription) { subscription.request(.unlimited) }
  }

  public func receive(_ input: Output) -> Subscribers.Demand {
    send(input)
    return .none
  }

  public func receive(completion: Subscribers.Completion<Failure>) {
    _ = upstream.end()
    send(completion: completion)
  }
}
