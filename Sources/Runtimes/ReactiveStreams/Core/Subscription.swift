import RuntimeSupport
import Synchronization

/// The link between one publisher and one subscriber, through which the subscriber requests values or cancels the stream.
///
/// Any thread may call the methods at any time, even inside a signal. After the stream has ended or was cancelled, calls do
/// nothing (rules 3.2 to 3.7 of Reactive Streams).
public protocol Subscription: AnyObject, Sendable {
  /// Requests values in addition to earlier requests. Sums saturate at `.unlimited` (rule 3.17 of Reactive Streams).
  ///
  /// `request(.none)` does nothing. Rule 3.9 requires a failure, which a stream with the `Failure` `Never` cannot send.
  func request(_ demand: Subscribers.Demand)

  /// Whether the publisher keeps its values until they are requested, like a sequence and unlike a subject.
  ///
  /// With unlimited demand, operators that combine several publishers request everything from each, so that no value is lost.
  /// From a publisher that waits they request few values at a time, so that few wait. The default is false.
  var waitsForDemand: Bool { get }

  /// Ends the stream without a completion and drops the subscriber. Signals that are already being sent may still arrive.
  func cancel()

  /// Ends the stream, and calls `action` once after the last signal of the stream has returned.
  ///
  /// During `cancel` another thread may be sending a signal, in which the subscriber starts work. `action` runs after that, on
  /// either of the two threads. The default implementation runs it immediately.
  func cancel(then action: @escaping @Sendable () -> Void)
}

extension Subscription {
  @inlinable public var waitsForDemand: Bool { false }

  public func cancel(then action: @escaping @Sendable () -> Void) {
    cancel()
    action()
  }
}

/// A namespace of subscriptions without a publisher.
public enum Subscriptions {
  /// A subscription that does nothing, for publishers that complete immediately.
  public static let empty: any Subscription = CancelAction {}
}

extension Subscribers {
  /// The number of values that a subscriber requests: zero or more, or unlimited.
  ///
  /// Sums saturate at `.unlimited`, and subtraction does not reduce it. A count of `Int.max` is unlimited.
  public struct Demand: Sendable, Hashable, Comparable {
    @usableFromInline let rawCount: Int

    @inlinable init(rawCount: Int) { self.rawCount = rawCount }

    /// Demand for all values.
    @inlinable public static var unlimited: Demand { Demand(rawCount: .max) }

    /// Demand for no value.
    @inlinable public static var none: Demand { Demand(rawCount: 0) }

    /// Demand for at most `count` values. Traps if `count` is negative.
    @inlinable public static func max(_ count: Int) -> Demand {
      precondition(count >= 0, "Demand.max(\(count)): the number of values must be at least 0")
      return Demand(rawCount: count)
    }

    /// The number of values, or `nil` if the demand is unlimited.
    @inlinable public var max: Int? { rawCount == .max ? nil : rawCount }

    @inlinable public static func < (left: Demand, right: Demand) -> Bool { left.rawCount < right.rawCount }

    /// The sum of two demands, unlimited if it overflows.
    @inlinable public static func + (left: Demand, right: Demand) -> Demand {
      let (sum, overflow) = left.rawCount.addingReportingOverflow(right.rawCount)
      return Demand(rawCount: overflow ? .max : sum)
    }

    /// Adds a demand. The sum is unlimited if it overflows.
    @inlinable public static func += (left: inout Demand, right: Demand) { left = left + right }

    /// The difference of two demands, at least zero. Unlimited demand stays unlimited.
    @inlinable public static func - (left: Demand, right: Demand) -> Demand {
      left.rawCount == .max ? left : Demand(rawCount: Swift.max(0, left.rawCount - right.rawCount))
    }

    /// Subtracts a demand. The result is at least zero, and unlimited demand stays unlimited.
    @inlinable public static func -= (left: inout Demand, right: Demand) { left = left - right }
  }
}

extension Subscribers.Demand {
  /// The most values that operators request ahead from a publisher that waits for demand.
  @usableFromInline static var batch: Int { 64 }

  /// The number of values to request from the upstream now, if `outstanding` are already requested. To save calls, it is 0
  /// until half of the last batch has arrived, unless this demand is less than a batch.
  @inlinable func lacking(_ outstanding: Int) -> Int {
    let wanted = Swift.min(rawCount, Self.batch)
    let lacking = wanted - outstanding
    return lacking > 0 && (wanted < Self.batch || lacking * 2 >= wanted) ? lacking : 0
  }

  /// Requests further values, if necessary: `outstanding` are already requested. If this demand is unlimited and the upstream
  /// does not wait for demand, requests all values, once.
  @inlinable func ask(_ upstream: any Subscription, _ outstanding: inout Subscribers.Demand) {
    if outstanding == .unlimited { return }
    let isAll = self == .unlimited && !upstream.waitsForDemand
    let asked: Self = isAll ? .unlimited : .max(lacking(outstanding.rawCount))
    outstanding += asked
    if asked > .none { upstream.request(asked) }
  }
}

extension Atomic where Value == Int {
  /// Adds `more` to the demand whose count this atomic stores.
  @inlinable func add(_ more: Subscribers.Demand) {
    _ = change { $0 == .max ? nil : (Subscribers.Demand(rawCount: $0) + more).rawCount }
  }
}

extension Subscribers.Demand: CustomStringConvertible {
  public var description: String { max.map { "max(\($0))" } ?? "unlimited" }
}

/// An object that cancels a subscription on `cancel()`, or when the last reference to the object is released.
public final class AnyCancellable: Sendable {
  @usableFromInline let subscription: any Subscription
  @usableFromInline let isCancelled = Atomic<Bool>(false)

  /// Creates an object that cancels the subscription once, on the first `cancel()` or when its last reference is released.
  @inlinable public init(_ subscription: any Subscription) { self.subscription = subscription }

  /// Creates an object that calls the closure once, on the first `cancel()` or when its last reference is released.
  public init(_ cancel: @escaping @Sendable () -> Void) {
    let slot = SubscriptionSlot()
    _ = slot.keep(CancelAction(cancel))
    subscription = slot
  }

  /// Cancels the subscription. May be called from any thread. A second call does nothing.
  @inlinable public func cancel() {
    if !isCancelled.exchange(true, ordering: .relaxed) { subscription.cancel() }
  }

  /// Cancels the subscription, and calls the action once after the last signal of the stream has returned.
  ///
  /// A second call calls its own action, also after that signal. If the stream ended without a cancellation, another thread may
  /// still be sending that end when the action runs.
  public func cancel(then action: @escaping @Sendable () -> Void) {
    isCancelled.store(true, ordering: .relaxed)
    subscription.cancel(then: action)
  }

  @inlinable deinit { if !isCancelled.load(ordering: .relaxed) { subscription.cancel() } }

  /// Stores this object in a collection that the caller owns, which keeps the subscription alive.
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Stores this object in a set that the caller owns, which keeps the subscription alive.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }
}

extension AnyCancellable: Hashable {
  public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A subscription that ignores requests and calls a closure when it is cancelled.
final class CancelAction: Subscription {
  private let action: @Sendable () -> Void
  init(_ action: @escaping @Sendable () -> Void) { self.action = action }
  func request(_ demand: Subscribers.Demand) {}
  func cancel() { action() }
}
