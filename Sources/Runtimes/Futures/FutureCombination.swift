import RuntimeSupport
import Synchronization

/// A future that is made from any number of others.
///
/// Starting and cancelling are done in turns that one thread holds at a time: whoever asks for one while
/// another thread holds it leaves the request in `requests` and goes on, so there is no lock, no recursion, and
/// no thread that waits.
///
/// The sources refer to the combination without retaining it. It holds a reference to itself, taken when it is
/// made and let go with the last source that has been delivered or has forgotten it.
///
/// `@unchecked Sendable`: `sources`, `startNext`, `verdict` and `isClosed` belong to the holder of the turn; to
/// the one who moves `phase` to `finishing`, once it has, as nobody else needs them then; `verdict` to the one
/// who moves it to `concluding` until it is `concluded`. `told` belongs to the canceller until
/// `listWaits`, then to the later of the two `arrivals`.
@usableFromInline
final class FutureCombination<Output: Sendable>: Future<Output>, @unchecked Sendable {
  /// What the outcome of one source decides at once, nil if it decides nothing.
  @usableFromInline typealias Decide = @Sendable (AnyFuture) -> Result<Output, any Error>?
  /// What the outcomes of all sources come to.
  @usableFromInline typealias Assemble = @Sendable ([AnyFuture]) -> Result<Output, any Error>
  /// Starts the next source, nil if there is none left.
  @usableFromInline typealias StartNext = () throws -> AnyFuture?

  @usableFromInline
  enum Phase: UInt8, AtomicRepresentable {
    case open
    /// The outcome is known before all sources are complete: it is being written, or is written.
    case concluding, concluded
    /// All sources are complete.
    case finishing
    /// The combination was cancelled.
    case cancelled
  }

  @usableFromInline let phase = Atomic<Phase>(.open)
  @usableFromInline let assemble: Assemble
  @usableFromInline let limit: Int?
  @exclusivity(unchecked) @usableFromInline var verdict: Result<Output, any Error>?
  @exclusivity(unchecked) var told: PendingDeliveries?
  /// What has come of the two that must before those who wait are told of a cancellation.
  @usableFromInline let arrivals = Atomic<UInt8>(0)
  @usableFromInline static var listWaits: UInt8 { 1 }
  @usableFromInline static var sourcesAreDone: UInt8 { 2 }

  // What the starting thread writes, what completing threads write, and what all read lie on lines of their own.
  @usableFromInline let distance = CacheLines()
  @exclusivity(unchecked) @usableFromInline var sources: [AnyFuture]
  @exclusivity(unchecked) @usableFromInline var startNext: StartNext?
  /// So many of `sources` have been registered with.
  @exclusivity(unchecked) @usableFromInline var registeredCount = 0
  /// The sources have been counted in, all of them or (once no more are started) as many as there are.
  @exclusivity(unchecked) @usableFromInline var isClosed = false
  @exclusivity(unchecked) var hasCancelledSources = false
  @usableFromInline let requests = Atomic<Int>(0)

  @usableFromInline let secondDistance = CacheLines()
  /// Minus the sources that are done with until all are counted in, then how many are left.
  @usableFromInline let running = Atomic<Int>(0)

  /// A combination of futures that there are already (`startNext` is nil), or that are started one by one.
  @inlinable
  init(
    of sources: [AnyFuture], limit: Int? = nil, startNext: StartNext? = nil,
    decide: @escaping Decide, assemble: @escaping Assemble
  ) {
    precondition(limit ?? 1 > 0, "a limit of \(limit ?? 1) in flight starts nothing; it must be at least 1")
    self.sources = sources
    self.startNext = startNext
    self.assemble = assemble
    self.limit = limit
    super.init(role: .combination) { node, source in
      let node = unsafeDowncast(node, to: FutureCombination<Output>.self)
      return node === source ? node.runCallback() : node.receive(decision: decide(source))
    }
    _ = Unmanaged.passRetained(self)
    request(limit ?? 1)
  }

  /// One source is complete.
  /// - Returns: whether nothing refers to the combination any more.
  @inlinable
  func receive(decision: Result<Output, any Error>?) -> StateWord {
    if let decision {
      conclude(decision)
    } else if limit != nil {
      request(1)
    }
    guard running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return .nobody }
    finish()
    return .receiverEnded
  }

  /// Decides the outcome before all sources are complete.
  @inlinable
  func conclude(_ result: Result<Output, any Error>) {
    guard enter(.concluding) else { return }
    verdict = result
    keepRetainsAhead()
    phase.store(.concluded, ordering: .releasing)
    request(1)
  }

  /// Decides the outcome when all sources are complete.
  @inlinable
  func finish() {
    guard enter(.finishing) else { return }
    let result = assemble(sources)
    sources = []
    startNext = nil
    if !complete(with: result) { arrive(Self.sourcesAreDone) }
  }

  @usableFromInline
  func arrive(_ arrival: UInt8) {
    let before = arrivals.bitwiseOr(arrival, ordering: .acquiringAndReleasing).oldValue
    guard before != 0, before != arrival else { return }
    let told = self.told
    self.told = nil
    told?.deliver()
  }

  /// Completes. Returns false if the combination has been cancelled meanwhile.
  @inlinable
  func complete(with result: Result<Output, any Error>) -> Bool {
    guard let old = claim() else { return false }
    switch result {
    case .success(let value): write(value)
    case .failure(let error): write(error)
    }
    publish(after: old)
    return true
  }

  /// Moves to a phase if none but the first has been reached.
  @inlinable
  func enter(_ next: Phase) -> Bool {
    phase.compareExchange(expected: .open, desired: next, ordering: .acquiringAndReleasing).exchanged
  }

  override func cancelSources(thenTell told: PendingDeliveries) -> Bool {
    self.told = told
    arrive(Self.listWaits)
    request(1)
    return true
  }

  override func forgetSource() -> Bool {
    running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }

  override var isWithdrawn: Bool { phase.load(ordering: .acquiring) != .open || word(.acquiring).isSettled }
}

extension FutureCombination {
  /// Asks for that many starts, or for the clean-up if the outcome is decided.
  @inlinable
  func request(_ count: Int) {
    if requests.add(count, ordering: .acquiringAndReleasing).oldValue == 0 { takeTurns(count) }
  }

  @inlinable
  func takeTurns(_ count: Int) {
    var count = count
    repeat {
      var left = limit == nil ? Int.max : count
      while left > 0, !isDecided, start() { left -= 1 }
      if isDecided { cleanUp() }
      count = requests.subtract(count, ordering: .acquiringAndReleasing).newValue
    } while count > 0
  }

  @inlinable
  var isDecided: Bool { phase.load(ordering: .acquiring) != .open || isComplete }

  /// Starts the next source, or takes the next of those that there are, and registers with it.
  /// - Returns: false if there is none left.
  @inlinable
  func start() -> Bool {
    if isClosed { return false }
    if registeredCount == sources.count, !appendNext() { return false }
    // The array keeps it meanwhile: only the holder of the turn changes that.
    let source = Unmanaged.passUnretained(sources[registeredCount])
    registeredCount += 1
    source._withUnsafeGuaranteedRef { $0.addReceiver(self) }
    return true
  }

  @inlinable
  func appendNext() -> Bool {
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

  /// Every source that has been registered with counts from now on. The last to be done with ends the
  /// combination, here if all are.
  @inlinable
  func countSourcesIn() {
    guard !isClosed else { return }
    isClosed = true
    if running.add(registeredCount, ordering: .acquiringAndReleasing).newValue == 0 {
      finish()
      // Whoever runs a turn has another reference.
      Unmanaged.passUnretained(self).release()
    }
  }

  /// What remains to be done once the outcome is decided.
  @usableFromInline
  func cleanUp() {
    if isComplete { _ = enter(.cancelled) }
    let phase = phase.load(ordering: .acquiring)
    if phase == .concluded || phase == .cancelled, !hasCancelledSources {
      hasCancelledSources = true
      cancelSources()
    }
  }

  private func cancelSources() {
    startNext = nil
    let sources = self.sources
    self.sources = []
    let countdown = Countdown(sources.count + 1) { [self] in
      // What is in flight is cancelled before anybody learns of the outcome.
      if let verdict { _ = complete(with: verdict) }
      arrive(Self.sourcesAreDone)
    }
    DeliveryQueue.current.cancelInTurn { [self] in
      for source in sources { source.withdrawAndCancel(self) { countdown.arrive() } }
    }
    countSourcesIn()
    countdown.arrive()
  }
}
