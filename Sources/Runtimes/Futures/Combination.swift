import RuntimeTiming
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
final class Combination<Output: Sendable>: Future<Output>, @unchecked Sendable {
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
  @exclusivity(unchecked) var told: TellingList?
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
      let node = unsafeDowncast(node, to: Combination<Output>.self)
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

  override func cancelSources(thenTell told: TellingList) -> Bool {
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
