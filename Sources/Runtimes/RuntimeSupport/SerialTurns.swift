import Synchronization

/// Lets one thread at a time start and cancel the parts of a combination. That thread holds the turn.
///
/// If another thread holds the turn, a thread leaves its request here and continues, without lock, recursion or wait. This type
/// also counts the parts that have not ended.
public struct SerialTurns: ~Copyable, Sendable {
  @usableFromInline let requests = Atomic<Int>(0)
  /// The stack that holds the turn, as the address of its `Nesting` of steps. 0 means that no stack does.
  @usableFromInline let holder = Atomic<UInt>(0)
  /// The requests that the holder itself has made during its turn.
  @usableFromInline let ownRequests = Atomic<Int>(0)
  // The thread that starts parts writes the fields above; the threads that end parts write those below.
  @usableFromInline let distance = CacheLines()
  /// While parts are being started: minus the number that have ended. After `countIn`: the number that have not ended.
  @usableFromInline let running = Atomic<Int>(0)

  @inlinable public init() {}

  /// Requests `count` starts, or the clean-up after the outcome is decided. If no thread holds the turn, takes it, and calls
  /// `take` with the number of requests until none is left. Returns whether this stack already held the turn.
  @inlinable @discardableResult public func request(_ count: Int, take: (_ count: Int) -> Void) -> Bool {
    let stack = UInt(bitPattern: Nesting.current(.steps))
    // Relaxed, because only this stack stores its own address, and only the holder touches `ownRequests`.
    if holder.load(ordering: .relaxed) == stack {
      ownRequests.store(ownRequests.load(ordering: .relaxed) &+ count, ordering: .relaxed)
      return true
    }
    guard requests.wrappingAdd(count, ordering: .acquiringAndReleasing).oldValue == 0 else { return false }
    var count = count
    repeat {
      holder.store(stack, ordering: .relaxed)
      var wanted = count
      repeat {
        take(wanted)
        wanted = ownRequests.load(ordering: .relaxed)
        ownRequests.store(0, ordering: .relaxed)
      } while wanted > 0
      // The subtraction below orders this store before the next holder's.
      holder.store(0, ordering: .relaxed)
      count = requests.wrappingSubtract(count, ordering: .acquiringAndReleasing).newValue
    } while count > 0
    return false
  }

  /// Adds the started parts, except those that ended in a turn. Call it once, in a turn. Returns whether all parts have ended.
  @inlinable public func countIn(_ started: Int) -> Bool {
    running.wrappingAdd(started, ordering: .acquiringAndReleasing).newValue == 0
  }

  /// Called when a part has ended. Returns whether `countIn` has been called and this was the last part.
  @inlinable public func countOut() -> Bool {
    running.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}

/// The way to the only outcome of a combination: from the first part that decides it, from the last to end, or by cancellation.
public struct OutcomePhase: ~Copyable, Sendable {
  public enum Phase: UInt8, AtomicRepresentable, Sendable {
    case open
    /// A part has decided the outcome, which is being written (`concluding`) or is written (`concluded`).
    case concluding, concluded
    /// All parts have ended, and none has decided the outcome.
    case finishing
    /// The combination was cancelled.
    case cancelled
  }

  /// The two events that must happen before the waiters are notified of a cancellation.
  public enum Arrival: UInt8, Sendable {
    /// The waiters that must be notified of the cancellation are known.
    case waitersAreKnown = 1
    case partsHaveEnded = 2
  }

  @usableFromInline let phase = Atomic<Phase>(.open)
  @usableFromInline let arrivals = Atomic<UInt8>(0)

  @inlinable public init() {}

  @inlinable public var isOpen: Bool { phase.load(ordering: .acquiring) == .open }

  /// Whether parts in flight are no longer needed. If so, and if there is an outcome, it has been written.
  @inlinable public var dropsParts: Bool {
    let phase = phase.load(ordering: .acquiring)
    return phase == .concluded || phase == .cancelled
  }

  /// Moves from the phase `open` to another. Returns false if the phase is no longer `open`.
  @inlinable public func enter(_ next: Phase) -> Bool {
    phase.compareExchange(expected: .open, desired: next, ordering: .acquiringAndReleasing).exchanged
  }

  /// If the phase is `open`, decides the outcome, which `write` writes. Returns whether the phase was `open`.
  @inlinable public func conclude(_ write: () -> Void) -> Bool {
    guard enter(.concluding) else { return false }
    write()
    keepRetainsAhead()
    phase.store(.concluded, ordering: .releasing)
    return true
  }

  /// Records one of the two events. Returns whether the other event came first; if so, the caller must notify the waiters.
  @inlinable public func arrive(_ arrival: Arrival) -> Bool {
    let before = arrivals.bitwiseOr(arrival.rawValue, ordering: .acquiringAndReleasing).oldValue
    return before != 0 && before != arrival.rawValue
  }
}
