import Synchronization

/// Ends a subscription when told to, or when the last reference to it goes.
public final class AnyCancellable: Sendable {
  @usableFromInline let subscription: any Subscription
  @usableFromInline let isCancelled = Atomic<Bool>(false)

  /// Cancels the subscription at most once: on the first `cancel()`, or when the last reference goes.
  @inlinable public init(_ subscription: any Subscription) { self.subscription = subscription }

  /// Runs `cancel` at most once: on the first `cancel()`, or when the last reference goes.
  public init(_ cancel: @escaping @Sendable () -> Void) {
    let slot = SubscriptionSlot()
    _ = slot.keep(CancelAction(cancel))
    subscription = slot
  }

  /// Cancels the subscription; from any thread, once is enough.
  @inlinable
  public func cancel() {
    if !isCancelled.exchange(true, ordering: .relaxed) { subscription.cancel() }
  }

  /// Cancels the subscription, and calls the action once, when none of its signals is under way any more.
  ///
  /// After a cancellation the subscription is told again: only it knows when the moment has come.
  public func cancel(then action: @escaping @Sendable () -> Void) {
    isCancelled.store(true, ordering: .relaxed)
    subscription.cancel(then: action)
  }

  @inlinable deinit { if !isCancelled.load(ordering: .relaxed) { subscription.cancel() } }

  /// Keeps this alive in a collection that the caller owns.
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Keeps this alive in a set that the caller owns.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }
}

extension AnyCancellable: Hashable {
  public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A subscription that only knows how to end.
final class CancelAction: Subscription {
  private let action: @Sendable () -> Void
  init(_ action: @escaping @Sendable () -> Void) { self.action = action }
  func request(_ demand: Subscribers.Demand) {}
  func cancel() { action() }
}
