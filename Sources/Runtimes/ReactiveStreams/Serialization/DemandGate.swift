import RuntimeSupport
import Synchronization

/// Lets one thread at a time send a subscription's signals, and counts its demand, in one word.
///
/// The thread that moves the word from idle to busy is the *emitter*: only it touches the subscriber. A request that finds it
/// busy only leaves its demand, so a request inside a signal neither recurses (rule 3.3) nor overlaps (rule 1.3). The gate
/// starts busy, for the thread that sends `receive(subscription:)`.
@usableFromInline struct DemandGate: ~Copyable {
  @usableFromInline static var busy: UInt { 1 }
  @usableFromInline static var closed: UInt { 2 }
  /// One value of demand; the rest of the word is the count.
  @usableFromInline static var unit: UInt { 4 }
  @usableFromInline static var flags: UInt { 3 }
  @usableFromInline static var unlimited: UInt { ~flags }

  /// The result of `take()`.
  @usableFromInline enum Taken {
    /// This many values may be sent (`Int.max`: any number); the caller stays the emitter.
    case demand(Int)
    /// There is no demand; the caller is no longer the emitter.
    case idle
    /// The stream was cancelled; the caller drops the subscriber.
    case closed
  }

  @usableFromInline let word = Atomic<UInt>(busy)

  @inlinable init() {}

  @inlinable var isClosed: Bool { word.load(ordering: .relaxed) & Self.closed != 0 }

  /// Adds demand; true when the caller has become the emitter.
  @inlinable func request(_ demand: Subscribers.Demand) -> Bool {
    let count = UInt(bitPattern: demand.rawCount)
    if count == 0 { return false }
    let before = word.change {
      if $0 & Self.closed != 0 { return nil }
      let room = (Self.unlimited - ($0 & Self.unlimited)) / Self.unit
      return (count >= room ? Self.unlimited : ($0 & Self.unlimited) + count * Self.unit) | Self.busy
    }
    return before.map { $0 & Self.busy == 0 } ?? false
  }

  /// Takes all demand, or steps down when there is none. Only the emitter calls it, between signals.
  @inlinable func take() -> Taken {
    let before = word.change {
      $0 & Self.closed != 0 ? nil : $0 & Self.unlimited == 0 ? 0 : Self.busy
    }
    guard let asked = before.map({ $0 & Self.unlimited }) else { return .closed }
    if asked == 0 { return .idle }
    return .demand(asked == Self.unlimited ? .max : Int(asked / Self.unit))
  }

  /// Closes the gate; true when the caller has to drop the subscriber, because there is no emitter.
  @inlinable func cancel() -> Bool {
    word.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue & Self.flags == 0
  }

  /// Closes the gate for the emitter's completion; false when a cancellation came first.
  @inlinable func finish() -> Bool {
    word.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue & Self.closed == 0
  }
}
