import RuntimeSupport
import Synchronization

/// One performance of a group, or of a race.
///
/// A part's result either decides the outcome, as a group's first failure does, or is kept until all have ended.
///
/// Starting and cancelling are done in turns that one thread holds at a time: whoever asks for one while
/// another thread holds it leaves the request in `requests` and goes on, so there is no lock, no recursion, and no
/// thread that waits.
///
/// The parts refer to the group without retaining it. It holds a reference to itself from its start until its
/// last part has ended.
///
/// `@unchecked Sendable`: `parts`, `startedCount`, `isClosed` and `hasCancelledParts` belong to the holder of the
/// turn, `parts` to the one who moves `phase` to `finishing` once it has; each slot of `results` to its part until
/// all have ended, then to the thread that ended the last; `outcome` to the one who moves `phase` to `concluding`
/// until it is `concluded`; `waitingRuns` to the canceller until `runsWait`, then to the later of the two `arrivals`.
@usableFromInline
final class GroupRun<Element: Sendable, Output: Sendable>: TaskPart, @unchecked Sendable {
  @usableFromInline
  enum Phase: UInt8, AtomicRepresentable {
    case open
    /// A part has decided the outcome: it is being written, or is written.
    case concluding, concluded
    /// All parts have ended, and none has decided.
    case finishing
    /// The whole was cancelled.
    case cancelled
  }

  @usableFromInline typealias PartResult = Result<Element, any Error>
  @usableFromInline typealias Outcome = Result<Output, any Error>

  @usableFromInline let whole: TaskController<Output>
  @usableFromInline let count: Int
  @usableFromInline let limit: Int
  @usableFromInline let makeTask: @Sendable (Int) throws -> ClosureTask<Element>
  /// The outcome if a part's result decides it; nil: the result is kept.
  @usableFromInline let decide: @Sendable (PartResult) -> Outcome?
  /// The outcome if none has decided it.
  @usableFromInline let assemble: @Sendable (UnsafeBufferPointer<PartResult?>) -> Outcome
  @usableFromInline let results: UnsafeMutablePointer<PartResult?>
  @usableFromInline let progress: GroupProgress?
  @usableFromInline let phase = Atomic<Phase>(.open)
  @exclusivity(unchecked) @usableFromInline var outcome: Outcome?
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
    of whole: TaskController<Output>, count: Int, limit: Int?,
    makeTask: @escaping @Sendable (Int) throws -> ClosureTask<Element>,
    decide: @escaping @Sendable (PartResult) -> Outcome?,
    assemble: @escaping @Sendable (UnsafeBufferPointer<PartResult?>) -> Outcome
  ) {
    self.whole = whole
    self.count = count
    self.limit = min(limit ?? count, count)
    self.makeTask = makeTask
    self.decide = decide
    self.assemble = assemble
    progress = whole.progress.map { GroupProgress(of: $0, count: count) }
    results = .allocate(capacity: count)
    results.initialize(repeating: nil, count: count)
    parts.reserveCapacity(count)
    super.init()
  }

  deinit {
    results.deinitialize(count: count)
    results.deallocate()
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
  func partEnded(_ index: Int, _ result: PartResult) -> Bool {
    if let outcome = decide(result) {
      conclude(outcome)
    } else {
      (results + index).pointee = result
      if limit < count { request(1) }
    }
    guard running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return false }
    finish()
    return true
  }

  /// All parts have ended.
  @inlinable
  func finish() {
    if Nesting.enter() {
      tell()
      Nesting.leave()
    } else {
      Nesting.later { self.tell() }
    }
  }

  @inlinable
  func tell() {
    guard enter(.finishing) else { return endEarly() }
    parts = []
    if !whole.complete(with: assemble(UnsafeBufferPointer(start: results, count: count))) {
      arrive(Self.partsHaveEnded)
    }
  }

  /// Tells of what a part has decided or of a cancellation, now that no part is being started or is left in flight.
  @usableFromInline
  func endEarly() {
    if let outcome { whole.complete(with: outcome) }
    arrive(Self.partsHaveEnded)
  }

  @usableFromInline
  func arrive(_ arrival: UInt8) {
    let before = arrivals.bitwiseOr(arrival, ordering: .acquiringAndReleasing).oldValue
    if before != 0, before != arrival { waitingRuns.take().tell() }
  }

  /// Ends the group with the first outcome that was decided.
  @inlinable
  func conclude(_ decided: Outcome) {
    guard enter(.concluding) else { return }
    outcome = decided
    keepRetainsAhead()
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

extension GroupRun {
  /// Asks for that many starts, or for the clean-up if the group has failed or is cancelled.
  @inlinable
  func request(_ wanted: Int) {
    if requests.add(wanted, ordering: .acquiringAndReleasing).oldValue == 0 { takeTurns(wanted) }
  }

  @inlinable
  func takeTurns(_ wanted: Int) {
    var wanted = wanted
    repeat {
      var left = wanted
      while left > 0, !isClosed, !isDecided {
        startNext()
        left -= 1
      }
      if isDecided { cleanUp() }
      wanted = requests.subtract(wanted, ordering: .acquiringAndReleasing).newValue
    } while wanted > 0
  }

  @inlinable
  var isDecided: Bool { phase.load(ordering: .acquiring) != .open || whole.isEnded }

  @inlinable
  func startNext() {
    let index = startedCount
    let task: ClosureTask<Element>
    do { task = try makeTask(index) } catch { return conclude(.failure(error)) }
    startedCount = index + 1
    let part = TaskController<Element>(
      parent: Unmanaged.passUnretained(self), index: index, progress: progress?.makePart()
    ) { parent, index, result in
      let isLast = parent._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: GroupRun<Element, Output>.self).partEnded(index, result)
      }
      if isLast { parent.release() }
    }
    task.run(part)
    // Only the holder of the turn, which is this thread, cancels parts: there is no hurry to note it.
    if !part.isEnded { parts.append(part) }
    if startedCount == count { countPartsIn() }
  }

  /// Every part that was started counts from now on. The last to end ends the group, here if all have.
  @inlinable
  func countPartsIn() {
    guard !isClosed else { return }
    isClosed = true
    if running.add(startedCount, ordering: .acquiringAndReleasing).newValue == 0 {
      finish()
      // Whoever runs a turn has another reference.
      Unmanaged.passUnretained(self).release()
    }
  }

  /// What remains to be done once the outcome is decided.
  @usableFromInline
  func cleanUp() {
    if whole.isEnded { _ = enter(.cancelled) }
    let phase = phase.load(ordering: .acquiring)
    if phase == .concluded || phase == .cancelled, !hasCancelledParts {
      hasCancelledParts = true
      let parts = self.parts
      self.parts = []
      // What is in flight is cancelled before anybody learns of the outcome: the last part to end tells.
      if Nesting.enter() {
        for part in parts { part.cancel() }
        Nesting.leave()
      } else {
        Nesting.later { for part in parts { part.cancel() } }
      }
      countPartsIn()
    }
  }
}
