import RuntimeTiming
import Synchronization

extension Combination {
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
