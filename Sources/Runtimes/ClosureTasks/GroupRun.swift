import RuntimeSupport

/// One run of a group, or of a race.
///
/// A part's result either decides the outcome, as a group's first failure does, or is kept until all have ended. Parts are
/// started and cancelled in turns that one thread holds at a time; see `SerialTurns`. They do not retain the group: it holds a
/// reference to itself from its start until its last part has ended.
///
/// `@unchecked Sendable`: `parts`, `spare`, `startedCount`, `endedInTurnCount`, `isClosed` and `hasCancelledParts` belong to
/// the holder of the turn, then `parts` to the thread that moves `phase` to `finishing`; each slot of `results` to its part
/// until all have ended, then they and `hasResults` to the thread that ended the last; `outcome` to the thread that moves
/// `phase` to `concluding` until it is `concluded`; `waitingRuns` to the canceller until it has arrived, then to the later of
/// the two arrivals.
@usableFromInline
final class GroupRun<Element: Sendable, Kept: Sendable, Output: Sendable>: PartReceiver<Element>,
  @unchecked Sendable
{
  @usableFromInline typealias Outcome = Result<Output, any Error>
  /// What a part's result means for the group.
  @usableFromInline enum Verdict {
    /// It decides the group's outcome.
    case decides(Outcome)
    /// It is kept until all have ended.
    case keeps(Kept)
  }

  @usableFromInline let whole: TaskController<Output>
  @usableFromInline let count: Int
  @usableFromInline let limit: Int
  /// Starts a part.
  @usableFromInline let begin: @Sendable (Int, TaskController<Element>) throws -> Void
  @usableFromInline let judge: @Sendable (PartResult) -> Verdict
  /// The outcome if no part has decided it.
  @usableFromInline let assemble: @Sendable (consuming [Kept]) -> Outcome
  @usableFromInline let results: UnsafeMutablePointer<Kept?>
  @usableFromInline let phase = OutcomePhase()
  // The starting thread reads it, too.
  @exclusivity(unchecked) @usableFromInline var isClosed = false
  @exclusivity(unchecked) @usableFromInline var hasCancelledParts = false
  @exclusivity(unchecked) @usableFromInline var hasResults = true
  @exclusivity(unchecked) @usableFromInline var outcome: Outcome?
  @exclusivity(unchecked) var waitingRuns = CancelledRuns()

  // Fields of the starting thread, of ending threads, and those that all read lie on separate cache lines.
  @usableFromInline let distance = CacheLines()
  @exclusivity(unchecked) @usableFromInline var parts: ContiguousArray<TaskController<Element>> = []
  /// The controller of a part that ended before its closure returned, if nothing else refers to it: one reference. The next
  /// part reuses it, so that any number of parts that end at once take one object.
  @exclusivity(unchecked) @usableFromInline var spare: Unmanaged<TaskController<Element>>?
  @usableFromInline let soleWord = soleReferenceWord
  @exclusivity(unchecked) @usableFromInline var startedCount = 0
  /// The parts of a limited group that have ended in a turn before all were counted in; only the holder of the turn counts
  /// them.
  @exclusivity(unchecked) @usableFromInline var endedInTurnCount = 0
  @usableFromInline let turns = SerialTurns()

  @inlinable init(
    of whole: TaskController<Output>, count: Int, limit: Int?,
    begin: @escaping @Sendable (Int, TaskController<Element>) throws -> Void,
    judge: @escaping @Sendable (PartResult) -> Verdict,
    assemble: @escaping @Sendable (consuming [Kept]) -> Outcome
  ) {
    self.whole = whole
    self.count = count
    self.limit = min(limit ?? count, count)
    self.begin = begin
    self.judge = judge
    self.assemble = assemble
    results = .allocate(capacity: count)
    results.initialize(repeating: nil, count: count)
    parts.reserveCapacity(count)
    super.init { receiver, index, result in
      let isLast = receiver._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: GroupRun.self).partEnded(index, result)
      }
      if isLast { receiver.release() }
    }
  }

  deinit {
    spare?.release()
    if hasResults { results.deinitialize(count: count) }
    results.deallocate()
  }

  /// Starts the parts. Called once.
  @inlinable func start() {
    guard becomePart() else { return }
    let steps = Nesting.current(.steps)
    if steps.enter() {
      request(limit)
      steps.leave()
    } else {
      steps.later { self.request(self.limit) }
    }
  }

  @usableFromInline func becomePart() -> Bool {
    guard whole.setPart(self) else { return false }
    _ = Unmanaged.passRetained(self)
    return true
  }

  /// A part has ended. Returns whether nothing refers to the group any more.
  @inlinable @inline(__always) func partEnded(_ index: Int, _ result: PartResult) -> Bool {
    switch judge(result) {
    case .decides(let outcome): conclude(outcome)
    case .keeps(let kept):
      // It was nil: there is nothing to destroy.
      (results + index).initialize(to: kept)
      if limit < count, request(1), !isClosed {
        endedInTurnCount += 1
        return false
      }
    }
    guard turns.countOut() else { return false }
    finish()
    return true
  }

  /// All parts have ended.
  @inlinable func finish() {
    let steps = Nesting.current(.steps)
    if steps.enter() {
      deliverOutcome()
      steps.leave()
    } else {
      steps.later { self.deliverOutcome() }
    }
  }

  @inlinable func deliverOutcome() {
    guard phase.enter(.finishing) else { return endEarly() }
    parts = []
    // Moved out here, where their type is known: the deinitialiser would look it up for each.
    let kept = [Kept](unsafeUninitializedCapacity: count) { slots, keptCount in
      for index in 0..<count {
        slots.initializeElement(at: index, to: (results + index).move().unsafelyUnwrapped)
      }
      keptCount = count
    }
    hasResults = false
    if !whole.complete(with: assemble(kept)) { arrive(.partsHaveEnded) }
  }

  /// Ends early, by a part's decision or a cancellation, when no part is being started or is left in flight.
  @usableFromInline func endEarly() {
    if let outcome { whole.complete(with: outcome) }
    arrive(.partsHaveEnded)
  }

  @usableFromInline func arrive(_ arrival: OutcomePhase.Arrival) {
    if phase.arrive(arrival) { waitingRuns.take().deliver() }
  }

  /// Ends the group with the first outcome that was decided.
  @inlinable func conclude(_ decided: Outcome) {
    if phase.conclude({ outcome = decided }) { request(1) }
  }

  override func cancelPart(for cancelled: inout CancelledRuns) -> TaskPart? {
    waitingRuns = cancelled.take()
    arrive(.waitersAreKnown)
    request(1)
    return nil
  }

  // MARK: In turns

  @inlinable @discardableResult func request(_ wanted: Int) -> Bool { turns.request(wanted) { takeTurn($0) } }

  @inlinable func takeTurn(_ wanted: Int) {
    var left = wanted
    // The thread that decides the outcome requests a turn afterwards, so there is no check after the last start.
    while left > 0 {
      if isDecided { return cleanUp() }
      if isClosed { return }
      startNext()
      left -= 1
    }
  }

  @inlinable var isDecided: Bool { !phase.isOpen || whole.isEnded }

  @inlinable func startNext() {
    let index = startedCount
    startedCount = index + 1
    let part = takePart(index)
    let isEnded = part._withUnsafeGuaranteedRef { part in
      do { try begin(index, part) } catch { part.fail(with: error) }
      return part.isEnded
    }
    // Only the holder of the turn, which is this thread, cancels parts, so it may be recorded late.
    if !isEnded {
      parts.append(part.takeRetainedValue())
    } else if part.isSole(soleWord), part._withUnsafeGuaranteedRef({ $0.hasLeftNothing }) {
      spare = part
    } else {
      part.release()
    }
    if startedCount == count { countPartsIn() }
  }

  /// A controller for a part, by one reference, which goes to the list or is released: by itself, the compiler counts three.
  @inlinable @inline(__always) func takePart(_ index: Int) -> Unmanaged<TaskController<Element>> {
    let parent = Unmanaged<PartReceiver<Element>>.passUnretained(self)
    if let part = spare {
      spare = nil
      part._withUnsafeGuaranteedRef { $0.renew(parent: parent, index: index) }
      return part
    }
    return Unmanaged.passRetained(TaskController<Element>(parent: parent, index: index))
  }

  /// From now on every started part counts: the last to end ends the group, here if all have.
  @inlinable func countPartsIn() {
    guard !isClosed else { return }
    isClosed = true
    spare?.release()
    spare = nil
    guard turns.countIn(startedCount - endedInTurnCount) else { return }
    finish()
    // The caller of `request`, in whose turn this is, holds another reference.
    Unmanaged.passUnretained(self).release()
  }

  /// Cancels and releases the parts once the outcome is decided.
  @usableFromInline func cleanUp() {
    if whole.isEnded { _ = phase.enter(.cancelled) }
    guard phase.dropsParts, !hasCancelledParts else { return }
    hasCancelledParts = true
    let parts = self.parts
    self.parts = []
    // Parts in flight are cancelled before the outcome is delivered: the last part to end delivers it.
    Nesting.current(.steps).run { for part in parts { part.cancel() } }
    countPartsIn()
  }
}
