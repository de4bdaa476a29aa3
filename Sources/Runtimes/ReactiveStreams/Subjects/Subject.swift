/// A publisher that sends what it is told to, by any thread.
public protocol Subject<Output, Failure>: Publisher, AnyObject {
  /// Sends a value to the subscribers.
  func send(_ value: Output)

  /// Ends the stream for present and future subscribers.
  func send(completion: Subscribers.Completion<Failure>)
}

extension Subject where Output == Void {
  /// Tells the subscribers that something happened.
  public func send() { send(()) }
}
