import RuntimeSupport

/// A future that is made from any number of other futures, its sources.
///
/// One thread at a time, the holder of the turn (see `SerialTurns`), starts, observes and cancels sources. Sources do not
/// retain the combination, which holds a reference to itself until each source has completed or has removed it.
///
/// `@unchecked Sendable`: `sources`, `startNext` and `isClosed` belong to the holder of the turn; at the end, `sources` belongs
/// to the thread that changes `phase` to `finishing`. `verdict` belongs to the thread that changes `phase` to `concluding`,
/// until `concluded`. `deliveries` belongs to the cancelling thread until its call of `arrive`, then to the later call.
@usableFromInline final class FutureCombination<Output: Sendable>: Future<Output>, @unchecked Sendable {
  /// Receives a complete source. Returns the combination's outcome if this source alone decides the outcome, otherwise `nil`.
  @usableFromInline typealias Decide = @Sendable (AnyFuture) -> Result<Output, any Error>?
  /// Receives the sources, which are all complete. Returns the combination's outcome.
  @usableFromInline typealias Assemble = @Sendable ([AnyFuture]) -> Result<Output, any Error>
  /// Starts the next source. Returns `nil` if there is none left.
  @usableFromInline typealias StartNext = () throws -> AnyFuture?

  @usableFromInline let phase = OutcomePhase()
  @usableFromInline let isLimited: Bool
  /// Whether the number of sources is final, because all are registered or no more will be started.
  @exclusivity(unchecked) @usableFromInline var isClosed = false
  @exclusivity(unchecked) var hasCancelledSources = false
  @usableFromInline let decide: Decide
  @usableFromInline let assemble: Assemble
  @exclusivity(unchecked) @usableFromInline var verdict: Result<Output, any Error>?
  @exclusivity(unchecked) var deliveries: PendingDeliveries?

  // Padding: the fields above, which all threads read, are on other cache lines than the fields below, which only the starting
  // thread uses. `turns` has padding of its own for the field that completing threads change.
  @usableFromInline let distance = CacheLines()
  @exclusivity(unchecked) @usableFromInline var sources: [AnyFuture]
  @exclusivity(unchecked) @usableFromInline var startNext: StartNext?
  /// The number of `sources` that the combination observes.
  @exclusivity(unchecked) @usableFromInline var registeredCount = 0
  @usableFromInline let turns = SerialTurns()

  /// Creates a combination of existing futures, or of those that `startNext` starts one by one.
  @inlinable init(
    of sources: [AnyFuture], limit: Int? = nil, startNext: StartNext? = nil,
    decide: @escaping Decide, assemble: @escaping Assemble
  ) {
    precondition(limit ?? 1 > 0, "all(limit: \(limit ?? 1)): the limit must be at least 1 future")
    self.sources = sources
    self.startNext = startNext
    self.decide = decide
    self.assemble = assemble
    isLimited = limit != nil
    // This closure must capture nothing, because each call would retain its captures.
    super.init(role: .combination) { node, source in
      let node = unsafeDowncast(node, to: FutureCombination<Output>.self)
      return node === source ? node.runCallback() : node.receive(decision: node.decide(source))
    }
    _ = Unmanaged.passRetained(self)
    request(limit ?? 1)
  }

  /// Counts one source as complete. `decision` is the combination's outcome if that source decides it.
  @inlinable func receive(decision: Result<Output, any Error>?) -> StateWord {
    if let decision {
      conclude(decision)
    } else if isLimited {
      request(1)
    }
    guard turns.countOut() else { return .noWaiters }
    finish()
    return .receiverEnded
  }

  /// Decides the outcome before all sources are complete.
  @inlinable func conclude(_ result: Result<Output, any Error>) {
    if phase.conclude({ verdict = result }) { request(1) }
  }

  /// Decides the outcome when all sources are complete.
  @inlinable func finish() {
    guard phase.enter(.finishing) else { return }
    let result = assemble(sources)
    sources = []
    if !complete(with: result) { arrive(.partsHaveEnded) }
  }

  @usableFromInline func arrive(_ arrival: OutcomePhase.Arrival) {
    if phase.arrive(arrival) { deliveries.take()?.deliver() }
  }

  override func cancelSources(thenDeliver deliveries: PendingDeliveries) -> Bool {
    self.deliveries = deliveries
    arrive(.waitersAreKnown)
    request(1)
    return true
  }

  override func forgetSource() -> Bool { turns.countOut() }

  override var isWithdrawn: Bool { !phase.isOpen || word(.acquiring).isSettled }

  // MARK: Starting and cancelling the combined futures, in one thread at a time

  @inlinable func request(_ count: Int) { turns.request(count) { takeTurn($0) } }

  @inlinable func takeTurn(_ count: Int) {
    var left = isLimited ? count : Int.max
    // Moved out of its field, because each call through the field would retain the closure. Stored again if more sources may
    // start. `take()` would wrap the closure each time.
    let startNext = self.startNext
    self.startNext = nil
    while left > 0, !isDecided, start(startNext) { left -= 1 }
    if isDecided { cleanUp() } else if !isClosed { self.startNext = startNext }
  }

  @inlinable var isDecided: Bool { !phase.isOpen || isComplete }

  /// Starts the next source, or takes the next existing one, and observes the source. Returns false if none is left.
  @inlinable func start(_ startNext: StartNext?) -> Bool {
    if isClosed { return false }
    if registeredCount == sources.count, !append(startNext) { return false }
    // The array retains the source, and no other thread changes the array during this call.
    let source = Unmanaged.passUnretained(sources[registeredCount])
    registeredCount += 1
    source._withUnsafeGuaranteedRef { $0.addReceiver(self) }
    return true
  }

  @inlinable func append(_ startNext: StartNext?) -> Bool {
    do {
      if let source = try startNext?() {
        sources.append(source)
        return true
      }
      countSourcesIn()
    } catch {
      conclude(.failure(error))
    }
    return false
  }

  /// Makes the number of sources final. If all have ended, ends the combination; otherwise the last one to end does that.
  @inlinable func countSourcesIn() {
    guard !isClosed else { return }
    isClosed = true
    guard turns.countIn(registeredCount) else { return }
    finish()
    // This is not the last reference, because the caller of `request` holds another one.
    Unmanaged.passUnretained(self).release()
  }

  /// Cancels and releases the sources after the outcome is decided.
  @usableFromInline func cleanUp() {
    if isComplete { _ = phase.enter(.cancelled) }
    guard phase.dropsParts, !hasCancelledSources else { return }
    hasCancelledSources = true
    let sources = self.sources
    self.sources = []
    let countdown = Countdown(sources.count + 1) { [self] in
      // All sources must be cancelled before the outcome is delivered.
      if let verdict { complete(with: verdict) }
      arrive(.partsHaveEnded)
    }
    DeliveryQueue.current.cancelInTurn { [self] in
      for source in sources { source.withdrawAndCancel(self) { countdown.arrive() } }
    }
    countSourcesIn()
    countdown.arrive()
  }
}
