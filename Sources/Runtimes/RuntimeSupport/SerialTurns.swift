import Synchronization

/// Lets one thread at a time, the holder of the turn, start and cancel the tasks of a group. Also counts the unfinished tasks.
///
/// Uses no lock: a thread that needs the turn while another one holds it leaves its request to that thread and continues.
public struct SerialTurns: ~Copyable, Sendable {
  @usableFromInline let requests = Atomic<Int>(0)
  /// The thread or coroutine that holds the turn, as the address of its stack's `Nesting` object. 0 if none does.
  @usableFromInline let holder = Atomic<UInt>(0)
  /// The number of requests that the holder itself makes during its turn.
  @usableFromInline let ownRequests = Atomic<Int>(0)
  // Padding: the fields above are on other cache lines than `running`, which other threads change.
  @usableFromInline let distance = CacheLines()
  /// The number of unfinished tasks. Until `countIn` adds all tasks, it is negative: minus the ended tasks.
  @usableFromInline let running = Atomic<Int>(0)

  @inlinable public init() {}

  /// Requests `count` starts of tasks or, if the group has its outcome, a clean-up. If the turn is free, takes it and calls
  /// `take` with the number of requests until none is left. Returns whether this stack already held the turn.
  @inlinable @discardableResult public func request(_ count: Int, take: (_ count: Int) -> Void) -> Bool {
    let stack = UInt(bitPattern: Nesting.current(.steps))
    // Relaxed: only this stack stores its own address, and only the holder touches `ownRequests`.
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
      // Relaxed: the subtraction below publishes this store to the next holder.
      holder.store(0, ordering: .relaxed)
      count = requests.wrappingSubtract(count, ordering: .acquiringAndReleasing).newValue
    } while count > 0
    return false
  }

  /// Adds the number of started tasks. Call this once, holding the turn, after the last start. Returns whether all have ended.
  @inlinable public func countIn(_ started: Int) -> Bool {
    running.wrappingAdd(started, ordering: .acquiringAndReleasing).newValue == 0
  }

  /// Counts the end of one task. Returns whether `countIn` was called before and all tasks have ended.
  @inlinable public func countOut() -> Bool {
    running.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}

/// Decides once what ends a group of tasks: the result of one task, the end of all tasks, or a cancellation.
public struct OutcomePhase: ~Copyable, Sendable {
  public enum Phase: UInt8, AtomicRepresentable, Sendable {
    case open
    /// One task has decided the outcome, which is being written (`concluding`) or is written (`concluded`).
    case concluding, concluded
    /// All tasks have ended, and none alone has decided the outcome.
    case finishing
    case cancelled
  }

  /// The two events after which the waiters are notified of a cancellation.
  public enum Arrival: UInt8, Sendable {
    case waitersAreKnown = 1
    case partsHaveEnded = 2
  }

  @usableFromInline let phase = Atomic<Phase>(.open)
  @usableFromInline let arrivals = Atomic<UInt8>(0)

  @inlinable public init() {}

  @inlinable public var isOpen: Bool { phase.load(ordering: .acquiring) == .open }

  /// Whether unfinished tasks are not needed, because the outcome is written or the group is cancelled.
  @inlinable public var dropsParts: Bool {
    let phase = phase.load(ordering: .acquiring)
    return phase == .concluded || phase == .cancelled
  }

  /// Changes the phase from `open` to another one. Returns false if the phase is not `open`.
  @inlinable public func enter(_ next: Phase) -> Bool {
    phase.compareExchange(expected: .open, desired: next, ordering: .acquiringAndReleasing).exchanged
  }

  /// If the phase is `open`, writes the outcome by calling `write`. Returns whether the phase was `open`.
  @inlinable public func conclude(_ write: () -> Void) -> Bool {
    guard enter(.concluding) else { return false }
    write()
    keepRetainsAhead()
    phase.store(.concluded, ordering: .releasing)
    return true
  }

  /// Records one of the two events. Returns true for the second event; the caller must then notify the waiters.
  @inlinable public func arrive(_ arrival: Arrival) -> Bool {
    let before = arrivals.bitwiseOr(arrival.rawValue, ordering: .acquiringAndReleasing).oldValue
    return before != 0 && before != arrival.rawValue
  }
}
