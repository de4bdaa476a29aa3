import Synchronization

/// A future that is made from any number of others.
///
/// Starting is a turn that one thread holds at a time: whoever asks for one while another thread holds it
/// leaves the request in `requests` and goes on, so there is no lock, no recursion, and no thread that waits.
/// `@unchecked Sendable`: `sources`, `startNext` and `hasCancelled` belong to the holder of the turn, and to the one who
/// claims the completion once all sources are complete.
@usableFromInline
final class Combination<Output: Sendable>: Future<Output>, @unchecked Sendable {
  @usableFromInline typealias Sources = ContiguousArray<AnyFuture>
  /// What the outcome of one source decides at once, nil if it decides nothing.
  @usableFromInline typealias Decide = @Sendable (AnyFuture) -> Result<Output, any Error>?
  /// What the outcomes of all sources come to.
  @usableFromInline typealias Assemble = @Sendable (Sources) -> Result<Output, any Error>
  /// Starts the next source, nil if there is none left.
  @usableFromInline typealias StartNext = () throws -> AnyFuture?

  @exclusivity(unchecked) @usableFromInline var sources: Sources
  @exclusivity(unchecked) @usableFromInline var startNext: StartNext?
  @exclusivity(unchecked) @usableFromInline var hasCancelled = false
  /// The outcome was decided early and is written; the holder of the turn publishes it.
  @usableFromInline let isConcluded = Atomic<Bool>(false)
  @usableFromInline let assemble: Assemble
  @usableFromInline let limit: Int?
  @usableFromInline let requests = Atomic<Int>(0)
  /// Minus the completed sources until all are started, then how many are still running.
  @usableFromInline let running = Atomic<Int>(0)

  @inlinable
  init(
    reserving count: Int, limit: Int? = nil, startNext: @escaping StartNext, decide: @escaping Decide,
    assemble: @escaping Assemble
  ) {
    precondition(limit ?? 1 > 0, "a limit of \(limit ?? 1) in flight starts nothing; it must be at least 1")
    sources = []
    sources.reserveCapacity(count)
    self.startNext = startNext
    self.assemble = assemble
    self.limit = limit
    super.init(step: { node, source in
      unsafeDowncast(node, to: Combination<Output>.self).receive(source, decision: decide(source))
      return false
    })
    request(limit ?? 1)
  }

  /// Asks for that many starts, or for the clean-up if the combination is complete.
  @inlinable
  func request(_ count: Int) {
    if requests.add(count, ordering: .acquiringAndReleasing).oldValue == 0 { takeTurn(count) }
  }

  @inlinable
  func takeTurn(_ count: Int) {
    var count = count
    repeat {
      if isConcluded.load(ordering: .acquiring) {
        // What is in flight is cancelled before anybody learns of the outcome.
        if cancelSources() { publish() }
      } else if isComplete {
        _ = cancelSources()
      } else if limit == nil {
        while start() {}
      } else {
        var left = count
        while left > 0, start() { left -= 1 }
      }
      count = requests.subtract(count, ordering: .acquiringAndReleasing).newValue
    } while count > 0
  }

  @inlinable
  var isDecided: Bool { word(.acquiring).isClaimedOrComplete }

  /// - Returns: false if nothing more is to be started.
  @inlinable
  func start() -> Bool {
    guard !isDecided, let startNext else { return false }
    do {
      if let source = try startNext() {
        sources.append(source)
        source.addReceiver(self)
        return true
      }
      self.startNext = nil
      if running.add(sources.count, ordering: .acquiringAndReleasing).newValue == 0 { finish() }
    } catch {
      self.startNext = nil
      conclude(.failure(error))
    }
    return false
  }

  @inlinable
  func receive(_ source: AnyFuture, decision: Result<Output, any Error>?) {
    if let decision {
      conclude(decision)
    } else if running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      finish()
    } else if limit != nil {
      request(1)
    }
  }

  /// Ends the combination before all sources are complete.
  @inlinable
  func conclude(_ result: Result<Output, any Error>) {
    guard claim() else { return }
    write(result)
    isConcluded.store(true, ordering: .releasing)
    request(1)
  }

  @inlinable
  func finish() {
    // The claim first: from here on a cancellation comes too late and leaves the sources alone.
    guard claim() else { return }
    write(assemble(sources))
    sources = []
    publish()
  }

  @inlinable
  func write(_ result: Result<Output, any Error>) {
    switch result {
    case .success(let value):
      storage.initialize(to: value)
      hasValue = true
    case .failure(let error):
      self.error = error
    }
  }

  /// - Returns: whether this was the first time.
  @inlinable
  func cancelSources() -> Bool {
    guard !hasCancelled else { return false }
    hasCancelled = true
    startNext = nil
    let sources = self.sources
    self.sources = []
    for source in sources { source.withdrawAndCancel(self) }
    return true
  }

  override func cancelWork() { request(1) }
}
