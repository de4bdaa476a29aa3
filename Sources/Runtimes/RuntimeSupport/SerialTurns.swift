import Synchronization

/// Turns that one thread at a time takes, in which a combination starts its parts, and cancels them.
///
/// A thread that requests a turn while another one holds it leaves the request here and goes on: no lock, no recursion, and no
/// waiting. It also counts the parts that have not ended.
public struct SerialTurns: ~Copyable, Sendable {
  @usableFromInline let requests = Atomic<Int>(0)
  /// The stack that holds the turn, by the address of its step nesting; 0: none.
  @usableFromInline let holder = Atomic<UInt>(0)
  /// What the holder has requested itself, in its turn.
  @usableFromInline let ownRequests = Atomic<Int>(0)
  // The thread that starts parts writes the fields before, the threads that end them those after.
  @usableFromInline let distance = CacheLines()
  /// Minus the parts that have ended until all are counted in, then how many are left.
  @usableFromInline let running = Atomic<Int>(0)

  @inlinable public init() {}

  /// Requests a number of starts, or the clean-up once the outcome is decided. If no thread holds the turn, calls `take` with
  /// the number of requests until none is left. Returns whether this stack holds the turn already.
  @inlinable @discardableResult public func request(_ count: Int, take: (_ count: Int) -> Void) -> Bool {
    let stack = UInt(bitPattern: Nesting.current(.steps))
    // Relaxed: only this stack stores its own address, and then its requests belong to it alone.
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
      // Ordered before the next holder's store by the subtraction.
      holder.store(0, ordering: .relaxed)
      count = requests.wrappingSubtract(count, ordering: .acquiringAndReleasing).newValue
    } while count > 0
    return false
  }

  /// Counts the started parts in, but for those whose end the turns have seen; once, in a turn. Returns whether all have ended.
  @inlinable public func countIn(_ started: Int) -> Bool {
    running.wrappingAdd(started, ordering: .acquiringAndReleasing).newValue == 0
  }

  /// A part has ended. Returns whether all are counted in and this was the last.
  @inlinable public func countOut() -> Bool {
    running.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}

/// How a combination gets its one outcome: from the first of a deciding part, the last part to end, and a cancellation.
public struct OutcomePhase: ~Copyable, Sendable {
  public enum Phase: UInt8, AtomicRepresentable, Sendable {
    case open
    /// A part has decided the outcome: it is being written, or is written.
    case concluding, concluded
    /// All parts have ended, and none has decided.
    case finishing
    /// The combination was cancelled.
    case cancelled
  }

  /// What must happen before the waiters are notified of a cancellation.
  public enum Arrival: UInt8, Sendable {
    /// The deliveries are known.
    case waitersAreKnown = 1
    case partsHaveEnded = 2
  }

  @usableFromInline let phase = Atomic<Phase>(.open)
  @usableFromInline let arrivals = Atomic<UInt8>(0)

  @inlinable public init() {}

  @inlinable public var isOpen: Bool { phase.load(ordering: .acquiring) == .open }

  /// Whether parts in flight are not needed any more, and the outcome is written if there is one.
  @inlinable public var dropsParts: Bool {
    let phase = phase.load(ordering: .acquiring)
    return phase == .concluded || phase == .cancelled
  }

  /// Moves to a phase if none but the first has been reached.
  @inlinable public func enter(_ next: Phase) -> Bool {
    phase.compareExchange(expected: .open, desired: next, ordering: .acquiringAndReleasing).exchanged
  }

  /// Decides the outcome, which `write` writes, if it is open. Returns whether it was.
  @inlinable public func conclude(_ write: () -> Void) -> Bool {
    guard enter(.concluding) else { return false }
    write()
    keepRetainsAhead()
    phase.store(.concluded, ordering: .releasing)
    return true
  }

  /// Records one of the two arrivals. Returns whether the other came before; the caller makes the deliveries then.
  @inlinable public func arrive(_ arrival: Arrival) -> Bool {
    let before = arrivals.bitwiseOr(arrival.rawValue, ordering: .acquiringAndReleasing).oldValue
    return before != 0 && before != arrival.rawValue
  }
}
