import RuntimeSupport
import Synchronization

/// Lets one thread at a time, the *emitter*, send a subscription's signals, and counts the subscription's demand.
///
/// A thread that requests values becomes the emitter if there is none. Otherwise its demand is only added, so that signals do
/// not nest or overlap (rules 3.3 and 1.3 of Reactive Streams). The thread that sends the subscription is the first emitter.
@usableFromInline struct DemandGate: ~Copyable {
  @usableFromInline static var busy: UInt { 1 }
  @usableFromInline static var closed: UInt { 2 }
  /// What a demand of one value adds to the atomic word, which contains the demand above two flag bits.
  @usableFromInline static var unit: UInt { 4 }
  @usableFromInline static var flags: UInt { 3 }
  @usableFromInline static var unlimited: UInt { ~flags }

  @usableFromInline enum Taken {
    /// The number of values that the caller, which remains the emitter, may send. `Int.max` means any number.
    case demand(Int)
    /// There is no demand. The caller is no longer the emitter (the thread that may send).
    case idle
    /// The stream was cancelled, and the caller must drop the subscriber.
    case closed
  }

  @usableFromInline let word = Atomic<UInt>(busy)

  @inlinable init() {}

  @inlinable var isClosed: Bool { word.load(ordering: .relaxed) & Self.closed != 0 }

  /// Adds demand. Returns true if the caller has become the emitter, the one thread that may send.
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

  /// Takes all demand. If there is none, the caller ceases to be the emitter, the one thread that may send and call this.
  @inlinable func take() -> Taken {
    let before = word.change {
      $0 & Self.closed != 0 ? nil : $0 & Self.unlimited == 0 ? 0 : Self.busy
    }
    guard let asked = before.map({ $0 & Self.unlimited }) else { return .closed }
    if asked == 0 { return .idle }
    return .demand(asked == Self.unlimited ? .max : Int(asked / Self.unit))
  }

  /// Ends the stream. Returns true if no thread is sending; the caller must then drop the subscriber.
  @inlinable func cancel() -> Bool {
    word.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue & Self.flags == 0
  }

  /// Marks the stream as ended, before the completion is sent. Returns false if the stream is already cancelled.
  @inlinable func finish() -> Bool {
    word.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue & Self.closed == 0
  }
}
