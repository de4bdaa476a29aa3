import RuntimeSupport
import Synchronization

/// The link between one publisher and one subscriber: requests values, or ends the stream.
///
/// Any thread may call it, at any time, also inside a signal. Calls return promptly and do nothing once the stream has ended or
/// was cancelled (rules 3.2 to 3.7).
public protocol Subscription: AnyObject, Sendable {
  /// Requests more values, on top of earlier requests; sums saturate at `.unlimited` (rule 3.17).
  ///
  /// `request(.none)` does nothing. Rule 3.9 wants a failure for a demand below one, but a stream's `Failure` may be `Never`,
  /// and a negative demand cannot be made.
  func request(_ demand: Subscribers.Demand)

  /// Whether the publisher keeps its values until they are requested, as a sequence does and a subject does not.
  ///
  /// With unlimited demand, an operator that combines several publishers requests everything from each, as Combine's do, so
  /// that nothing is lost. A publisher that waits loses nothing: it gets requests for a few values at a time, so that it is not
  /// read far ahead of the others. The default is false.
  var waitsForDemand: Bool { get }

  /// Ends the stream without a completion and drops the subscriber; signals already being sent may still arrive.
  func cancel()

  /// Ends the stream, and calls `action` once, when none of its signals is being sent any more.
  ///
  /// After `cancel()` a sending thread may still be inside the subscriber, starting work there; `action` comes after that, on
  /// this thread or on that one. The default calls it at once.
  func cancel(then action: @escaping @Sendable () -> Void)
}

extension Subscription {
  @inlinable public var waitsForDemand: Bool { false }

  public func cancel(then action: @escaping @Sendable () -> Void) {
    cancel()
    action()
  }
}

/// Subscriptions without a publisher.
public enum Subscriptions {
  /// A subscription that does nothing, for publishers that complete at once.
  public static let empty: any Subscription = EmptySubscription()
}

private final class EmptySubscription: Subscription {
  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
}

extension Subscribers {
  /// How many values a subscriber wants: a count from zero up, or unlimited.
  ///
  /// Sums saturate at `.unlimited`, which no subtraction reduces. A count of `Int.max` is unlimited (rule 3.17).
  public struct Demand: Sendable, Hashable, Comparable {
    @usableFromInline let rawCount: Int

    @inlinable init(rawCount: Int) { self.rawCount = rawCount }

    /// All values.
    @inlinable public static var unlimited: Demand { Demand(rawCount: .max) }

    /// No value.
    @inlinable public static var none: Demand { Demand(rawCount: 0) }

    /// At most `count` values. Traps when `count` is negative.
    @inlinable public static func max(_ count: Int) -> Demand {
      precondition(count >= 0, "a demand can not be negative")
      return Demand(rawCount: count)
    }

    /// The count, or `nil` when unlimited.
    @inlinable public var max: Int? { rawCount == .max ? nil : rawCount }

    @inlinable public static func < (left: Demand, right: Demand) -> Bool { left.rawCount < right.rawCount }

    /// The sum; an overflow is unlimited.
    @inlinable public static func + (left: Demand, right: Demand) -> Demand {
      let (sum, overflow) = left.rawCount.addingReportingOverflow(right.rawCount)
      return Demand(rawCount: overflow ? .max : sum)
    }

    /// Adds; an overflow is unlimited.
    @inlinable public static func += (left: inout Demand, right: Demand) { left = left + right }

    /// The rest after `right`, never below zero; unlimited less anything is unlimited.
    @inlinable public static func - (left: Demand, right: Demand) -> Demand {
      left.rawCount == .max ? left : Demand(rawCount: Swift.max(0, left.rawCount - right.rawCount))
    }

    /// Takes away, down to zero; unlimited stays so.
    @inlinable public static func -= (left: inout Demand, right: Demand) { left = left - right }
  }
}

extension Subscribers.Demand {
  /// How many values operators request ahead from a source that waits, at most.
  @usableFromInline static var batch: Int { 64 }

  /// How many more to request when `outstanding` are on their way; from a batch on, when half of one is used up.
  @inlinable func lacking(_ outstanding: Int) -> Int {
    let wanted = Swift.min(rawCount, Self.batch)
    let lacking = wanted - outstanding
    return lacking > 0 && (wanted < Self.batch || lacking * 2 >= wanted) ? lacking : 0
  }

  /// Requests more for this demand, with `outstanding` on their way: everything, once, if this is unlimited and the publisher
  /// does not wait; else what is lacking.
  @inlinable func ask(_ upstream: any Subscription, _ outstanding: inout Subscribers.Demand) {
    if outstanding == .unlimited { return }
    let isAll = self == .unlimited && !upstream.waitsForDemand
    let asked: Self = isAll ? .unlimited : .max(lacking(outstanding.rawCount))
    outstanding += asked
    if asked > .none { upstream.request(asked) }
  }
}

extension Atomic where Value == Int {
  /// Adds to a demand that is stored as its count.
  @inlinable func add(_ more: Subscribers.Demand) {
    _ = change { $0 == .max ? nil : (Subscribers.Demand(rawCount: $0) + more).rawCount }
  }
}

extension Subscribers.Demand: CustomStringConvertible {
  public var description: String { max.map { "max(\($0))" } ?? "unlimited" }
}

/// Cancels a subscription by `cancel()`, or when the last reference to it is released.
public final class AnyCancellable: Sendable {
  @usableFromInline let subscription: any Subscription
  @usableFromInline let isCancelled = Atomic<Bool>(false)

  /// Cancels the subscription at most once: on the first `cancel()`, or when the last reference is released.
  @inlinable public init(_ subscription: any Subscription) { self.subscription = subscription }

  /// Runs `cancel` at most once: on the first `cancel()`, or when the last reference is released.
  public init(_ cancel: @escaping @Sendable () -> Void) {
    let slot = SubscriptionSlot()
    _ = slot.keep(CancelAction(cancel))
    subscription = slot
  }

  /// Cancels the subscription; from any thread, once is enough.
  @inlinable public func cancel() {
    if !isCancelled.exchange(true, ordering: .relaxed) { subscription.cancel() }
  }

  /// Cancels the subscription, and calls the action once, when none of its signals is being sent any more.
  ///
  /// A second call passes its action to the subscription, too, which alone knows the moment. If a stream ends by itself on
  /// another thread, that end may still be being sent.
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

/// A subscription that only cancels.
final class CancelAction: Subscription {
  private let action: @Sendable () -> Void
  init(_ action: @escaping @Sendable () -> Void) { self.action = action }
  func request(_ demand: Subscribers.Demand) {}
  func cancel() { action() }
}
