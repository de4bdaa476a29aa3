import RuntimeSupport

/// One run of a group or a race.
///
/// A part is the run of one task of the group. Its result either decides the outcome, like a group's first failure, or is kept
/// until all parts have ended. One thread at a time holds the turn (`SerialTurns`) to start and cancel parts. Parts do not
/// retain the group, which retains itself from its start until its last part has ended.
///
/// `@unchecked Sendable`: `parts`, `spare`, `startedCount`, `endedInTurnCount`, `isClosed` and `hasCancelledParts` belong to
/// the holder of the turn; `parts` later to the thread that moves `phase` to `finishing`. Each slot of `results` belongs to its
/// part until all have ended; then `results` and `hasResults` belong to the thread that ended the last part. `outcome` belongs
/// to the thread that moves `phase` to `concluding` until it is `concluded`. `waitingRuns` belongs to the cancelling thread
/// until it calls `arrive`, then to the second of the two threads that call `arrive`.
@usableFromInline
final class GroupRun<Element: Sendable, Kept: Sendable, Output: Sendable>: PartReceiver<Element>,
  @unchecked Sendable
{
  @usableFromInline typealias Outcome = Result<Output, any Error>
  /// What the result of one task means for its group.
  @usableFromInline enum Verdict {
    /// The result decides the group's outcome.
    case decides(Outcome)
    /// The result is kept until all parts have ended.
    case keeps(Kept)
  }

  @usableFromInline let whole: TaskController<Output>
  @usableFromInline let count: Int
  @usableFromInline let limit: Int
  @usableFromInline let begin: @Sendable (Int, TaskController<Element>) throws -> Void
  @usableFromInline let judge: @Sendable (PartResult) -> Verdict
  /// Makes the group's outcome from the kept results if no part has decided the outcome.
  @usableFromInline let assemble: @Sendable (consuming [Kept]) -> Outcome
  @usableFromInline let results: UnsafeMutablePointer<Kept?>
  @usableFromInline let phase = OutcomePhase()
  @exclusivity(unchecked) @usableFromInline var isClosed = false
  @exclusivity(unchecked) @usableFromInline var hasCancelledParts = false
  @exclusivity(unchecked) @usableFromInline var hasResults = true
  @exclusivity(unchecked) @usableFromInline var outcome: Outcome?
  @exclusivity(unchecked) var waitingRuns = CancelledRuns()

  // Separates the fields above from those below, which the thread that starts parts writes, onto other cache lines.
  @usableFromInline let distance = CacheLines()
  @exclusivity(unchecked) @usableFromInline var parts: ContiguousArray<TaskController<Element>> = []
  /// The controller of a part that ended before its closure returned, retained once. The next part reuses it, so that any
  /// number of parts that end immediately need only one object.
  @exclusivity(unchecked) @usableFromInline var spare: Unmanaged<TaskController<Element>>?
  @usableFromInline let soleWord = soleReferenceWord
  @exclusivity(unchecked) @usableFromInline var startedCount = 0
  /// The number of parts that ended while their thread held the turn, and that `countPartsIn` must therefore not count.
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

  /// Records the result of a part that has ended. Returns whether nothing refers to the group any more.
  @inlinable @inline(__always) func partEnded(_ index: Int, _ result: PartResult) -> Bool {
    switch judge(result) {
    case .decides(let outcome): conclude(outcome)
    case .keeps(let kept):
      // The slot was `nil`, so there is nothing to destroy.
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
    // Moves the results here, where the compiler knows their type. The deinitialiser would look the type up for each result.
    let kept = [Kept](unsafeUninitializedCapacity: count) { slots, keptCount in
      for index in 0..<count {
        slots.initializeElement(at: index, to: (results + index).move().unsafelyUnwrapped)
      }
      keptCount = count
    }
    hasResults = false
    if !whole.complete(with: assemble(kept)) { arrive(.partsHaveEnded) }
  }

  /// Ends the group after an early outcome or a cancellation, when all started parts have ended.
  @usableFromInline func endEarly() {
    if let outcome { whole.complete(with: outcome) }
    arrive(.partsHaveEnded)
  }

  @usableFromInline func arrive(_ arrival: OutcomePhase.Arrival) {
    if phase.arrive(arrival) { waitingRuns.take().deliver() }
  }

  /// Ends the group with this outcome, unless it already has one.
  @inlinable func conclude(_ decided: Outcome) {
    if phase.conclude({ outcome = decided }) { request(1) }
  }

  override func cancelPart(for cancelled: inout CancelledRuns) -> TaskPart? {
    waitingRuns = cancelled.take()
    arrive(.waitersAreKnown)
    request(1)
    return nil
  }

  @inlinable @discardableResult func request(_ wanted: Int) -> Bool { turns.request(wanted) { takeTurn($0) } }

  @inlinable func takeTurn(_ wanted: Int) {
    var left = wanted
    // No check is needed after the last start: a thread that decides the outcome meanwhile requests a turn of its own.
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
    // The part may be stored after its start, because only this thread, which holds the turn, cancels parts.
    if !isEnded {
      parts.append(part.takeRetainedValue())
    } else if part.isSole(soleWord), part._withUnsafeGuaranteedRef({ $0.hasLeftNothing }) {
      spare = part
    } else {
      part.release()
    }
    if startedCount == count { countPartsIn() }
  }

  /// A controller for a part, retained once for the caller. Otherwise the compiler would retain it three times.
  @inlinable @inline(__always) func takePart(_ index: Int) -> Unmanaged<TaskController<Element>> {
    let parent = Unmanaged<PartReceiver<Element>>.passUnretained(self)
    if let part = spare {
      spare = nil
      part._withUnsafeGuaranteedRef { $0.renew(parent: parent, index: index) }
      return part
    }
    return Unmanaged.passRetained(TaskController<Element>(parent: parent, index: index))
  }

  /// Counts the started parts, so that the last part that ends also ends the group. If all have ended already, ends the group.
  @inlinable func countPartsIn() {
    guard !isClosed else { return }
    isClosed = true
    spare?.release()
    spare = nil
    guard turns.countIn(startedCount - endedInTurnCount) else { return }
    finish()
    // This is not the last reference: the caller of `request` holds another one.
    Unmanaged.passUnretained(self).release()
  }

  /// Cancels and releases the parts after the outcome is decided.
  @usableFromInline func cleanUp() {
    if whole.isEnded { _ = phase.enter(.cancelled) }
    guard phase.dropsParts, !hasCancelledParts else { return }
    hasCancelledParts = true
    let parts = self.parts
    self.parts = []
    // Cancels parts before `countPartsIn`: the last part to end delivers the outcome. `steps.run` would allocate a closure.
    let steps = Nesting.current(.steps)
    if steps.enter() {
      for part in parts { part.cancel() }
      steps.leave()
    } else {
      steps.later { for part in parts { part.cancel() } }
    }
    countPartsIn()
  }
}
