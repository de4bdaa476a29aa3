import RuntimeTiming
import Synchronization

/// One performance of a group.
///
/// Starting and cancelling are done in turns that one thread holds at a time: whoever asks for one while
/// another thread holds it leaves the request in `requests` and goes on, so there is no lock, no recursion, and no
/// thread that waits.
///
/// The parts refer to the group without retaining it. It holds a reference to itself from its start until its
/// last part has ended.
///
/// `@unchecked Sendable`: `parts`, `startedCount`, `isClosed` and `hasCancelledParts` belong to the holder of the
/// turn, `parts` to the one who moves `phase` to `finishing` once it has; each slot of `values` to its part until
/// all have ended, then to the thread that ended the last; `failure` to the one who moves `phase` to `concluding`
/// until it is `concluded`; `waitingRuns` to the canceller until `runsWait`, then to the later of the two `arrivals`.
@usableFromInline
final class GroupRun<Element: Sendable>: TaskPart, @unchecked Sendable {
  @usableFromInline
  enum Phase: UInt8, AtomicRepresentable {
    case open
    /// A part has failed: the error is being written, or is written.
    case concluding, concluded
    /// All parts have succeeded.
    case finishing
    /// The whole was cancelled.
    case cancelled
  }

  @usableFromInline let whole: TaskController<[Element]>
  @usableFromInline let count: Int
  @usableFromInline let limit: Int
  @usableFromInline let makeTask: @Sendable (Int) throws -> ClosureTask<Element>
  @usableFromInline let values: UnsafeMutablePointer<Element?>
  @usableFromInline let progress: GroupProgress?
  @usableFromInline let phase = Atomic<Phase>(.open)
  @exclusivity(unchecked) @usableFromInline var failure: (any Error)?
  @exclusivity(unchecked) var waitingRuns = CancelledRuns()
  /// What has come of the two that must before the waiting runs are told.
  @usableFromInline let arrivals = Atomic<UInt8>(0)
  @usableFromInline static var runsWait: UInt8 { 1 }
  @usableFromInline static var partsHaveEnded: UInt8 { 2 }

  // What the starting thread writes, what ending threads write, and what all read lie on lines of their own.
  @usableFromInline let distance = CacheLines()
  @exclusivity(unchecked) @usableFromInline var parts: ContiguousArray<TaskController<Element>> = []
  @exclusivity(unchecked) @usableFromInline var startedCount = 0
  @exclusivity(unchecked) @usableFromInline var isClosed = false
  @exclusivity(unchecked) @usableFromInline var hasCancelledParts = false
  @usableFromInline let requests = Atomic<Int>(0)

  @usableFromInline let secondDistance = CacheLines()
  /// Minus the parts that have ended until all are counted in, then how many are left.
  @usableFromInline let running = Atomic<Int>(0)

  @inlinable
  init(
    of whole: TaskController<[Element]>, count: Int, limit: Int?,
    makeTask: @escaping @Sendable (Int) throws -> ClosureTask<Element>
  ) {
    self.whole = whole
    self.count = count
    self.limit = min(limit ?? count, count)
    self.makeTask = makeTask
    progress = whole.progress.map { GroupProgress(of: $0, count: count) }
    values = .allocate(capacity: count)
    values.initialize(repeating: nil, count: count)
    parts.reserveCapacity(count)
    super.init()
  }

  deinit {
    values.deinitialize(count: count)
    values.deallocate()
  }

  /// Starts the parts. Called once.
  @inlinable
  func start() {
    guard becomePart() else { return }
    if Nesting.enter() {
      request(limit)
      Nesting.leave()
    } else {
      Nesting.later { self.request(self.limit) }
    }
  }

  @usableFromInline
  func becomePart() -> Bool {
    guard whole.setPart(self) else { return false }
    _ = Unmanaged.passRetained(self)
    return true
  }

  /// A part has ended.
  /// - Returns: whether nothing refers to the group any more.
  @inlinable
  func partEnded(_ index: Int, _ result: Result<Element, any Error>) -> Bool {
    switch result {
    case .success(let value):
      (values + index).pointee = value
      if limit < count { request(1) }
    case .failure(let error): conclude(error)
    }
    guard running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return false }
    finish()
    return true
  }

  /// All parts have ended.
  @inlinable
  func finish() {
    guard enter(.finishing) else { return endEarly() }
    parts = []
    if !whole.finish(with: (0..<count).map { values[$0].unsafelyUnwrapped }) { arrive(Self.partsHaveEnded) }
  }

  /// Tells of a failure or a cancellation, now that no part is being started or is left in flight.
  @usableFromInline
  func endEarly() {
    if let failure { whole.fail(with: failure) }
    arrive(Self.partsHaveEnded)
  }

  @usableFromInline
  func arrive(_ arrival: UInt8) {
    let before = arrivals.bitwiseOr(arrival, ordering: .acquiringAndReleasing).oldValue
    if before != 0, before != arrival { waitingRuns.take().tell() }
  }

  /// Ends the group with the first failure.
  @usableFromInline
  func conclude(_ error: any Error) {
    guard enter(.concluding) else { return }
    failure = error
    phase.store(.concluded, ordering: .releasing)
    request(1)
  }

  /// Moves to a phase if none but the first has been reached.
  @inlinable
  func enter(_ next: Phase) -> Bool {
    phase.compareExchange(expected: .open, desired: next, ordering: .acquiringAndReleasing).exchanged
  }

  override func cancelPart(for cancelled: inout CancelledRuns) -> TaskPart? {
    waitingRuns = cancelled.take()
    arrive(Self.runsWait)
    request(1)
    return nil
  }
}
