import Synchronization

/// A clock that advances only when `advance` is called. A call of `try await clock.sleep(for: .seconds(5))` takes no real time.
public final class VirtualClock: Clock {
  /// A time since the clock's start, rounded up to whole nanoseconds.
  public struct Instant: InstantProtocol {
    fileprivate let nanoseconds: Int

    /// The time since the clock's start.
    public var offset: Duration { .nanoseconds(nanoseconds) }

    /// Returns the instant that is this duration later. The result is clamped on overflow.
    public func advanced(by duration: Duration) -> Instant {
      let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
      return Instant(nanoseconds: overflow ? (sum < 0 ? .max : .min) : sum)
    }
    /// Returns the duration from this instant to another.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (one: Instant, other: Instant) -> Bool { one.nanoseconds < other.nanoseconds }
  }

  private struct Sleeper {
    let number: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(nanoseconds: 0)
    var count = 0
    var looks = 0
    var sleepers: [Sleeper] = []
    /// The numbers of the sleeps that were cancelled before they began.
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  /// Creates a clock at time zero.
  public init() {}

  // The closures below are faster than key paths, which Swift would look up at run time.
  /// The virtual time.
  public var now: Instant {
    state.withLock { state in
      state.looks += 1
      return state.now
    }
  }
  package var nanoseconds: UInt64 { state.withLock { UInt64($0.now.nanoseconds) } }
  /// The resolution: one nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The number of sleeping tasks.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The earliest deadline of a sleeping task, in nanoseconds. `nil` if no task sleeps.
  var next: UInt64? { state.withLock { $0.sleepers.map { UInt64($0.deadline.nanoseconds) }.min() } }

  package var stateHash: UInt64 {
    state.withLock { $0.sleepers.reduce(0) { $0 &+ Generator.mix(UInt64($1.deadline.nanoseconds)) } }
  }

  /// The number of reads of the clock and sleeps so far.
  package var lookCount: Int { state.withLock { $0.looks + $0.count } }

  /// Suspends the task until the clock reaches the deadline or the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Advances to the earliest deadline and wakes all tasks with that deadline.
  public func advance() {
    let woken = state.withLock { state -> [Sleeper] in
      guard let next = state.sleepers.map(\.deadline).min() else { return [] }
      state.now = next
      defer { state.sleepers.removeAll { $0.deadline <= next } }
      return state.sleepers.filter { $0.deadline <= next }
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Resets the clock to time zero. Call it only if no task sleeps.
  public func reset() { state.withLock { $0 = State() } }
}
