/// The link between one publisher and one subscriber: asks for values, or ends the stream.
///
/// Both calls may come from any thread, at any time, also from inside a signal; both return promptly and do
/// nothing once the stream has ended or was cancelled (rules 3.2 to 3.7).
public protocol Subscription: AnyObject, Sendable {
  /// Asks for more values, on top of what was asked for before; sums saturate at `.unlimited` (rule 3.17).
  ///
  /// `request(.none)` does nothing. Rule 3.9 wants a failure for a demand below one, but a stream's `Failure`
  /// may be `Never`; a negative demand can not be made in the first place.
  func request(_ demand: Subscribers.Demand)

  /// Ends the stream without a completion and drops the subscriber; signals under way may still arrive.
  func cancel()

  /// Ends the stream, and calls `action` once, when none of its signals is under way any more.
  ///
  /// After `cancel()` a thread that was sending may still be inside the subscriber, starting work there;
  /// `action` comes after that, on this thread or on that one. The default calls it at once.
  func cancel(then action: @escaping @Sendable () -> Void)
}

extension Subscription {
  public func cancel(then action: @escaping @Sendable () -> Void) {
    cancel()
    action()
  }
}

/// Subscriptions that need no publisher behind them.
public enum Subscriptions {
  /// A subscription that does nothing, for publishers that complete at once.
  public static let empty: any Subscription = EmptySubscription()
}

private final class EmptySubscription: Subscription {
  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
}
