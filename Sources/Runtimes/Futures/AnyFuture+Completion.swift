import RuntimeSupport
import Synchronization

extension AnyFuture {
  /// Wins the right to write the result, for futures with more than one possible producer: the state before, nil if
  /// somebody else has completed the future. The holder runs no foreign code until it publishes: others wait for it.
  @inlinable
  final func claim() -> StateWord? { settleAsProducer(StateWord.claimed) }

  /// Changes the state, and returns the one before; nil if the future is settled.
  @inlinable @inline(__always)
  final func settleAsProducer(_ bits: UInt) -> StateWord? {
    var current = word(.relaxed)
    while !current.isSettled {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: bits,
        successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged { return current }
      current = StateWord(bits: original)
    }
    return nil
  }

  /// Makes the written result visible and tells everybody. Only for the holder of the claim.
  @inlinable
  final func publish(after old: StateWord) {
    keepRetainsAhead()
    state.store(StateWord.answered, ordering: .releasing)
    if old.bits != StateWord.pending { tell(old) }
  }

  @usableFromInline
  final func tell(_ old: StateWord) { deliver(takeWaiters(of: old)) }

  /// Makes the result written by a step visible, unless the node has been cancelled meanwhile, and returns whom to tell.
  /// A step is the only producer of its node, so one exchange is enough.
  @inlinable
  final func publishFromStep() -> StateWord {
    if let old = settleAsProducer(StateWord.answered) {
      return old.bits == StateWord.pending ? .nobody : takeWaiters(of: old)
    }
    // The source must not go away while the canceller reaches for it.
    awaitCompletion()
    return .nobody
  }

  @inlinable
  final func failFromStep(_ error: any Error) -> StateWord {
    write(error)
    return publishFromStep()
  }

  /// Stores an error as the outcome. Only for the producer, before it publishes.
  @inlinable
  final func write(_ error: any Error) {
    storage.initialize(as: (any Error).self, to: error)
    outcome = .error
  }

  /// Those who are to be told, from the state before completion; the cancel handler has had its turn then.
  @inlinable
  final func takeWaiters(of old: StateWord) -> StateWord {
    if old.has(StateWord.handler) { takeCancelHandler() }
    // Observers in the hand of a withdrawing thread are its business: it will find the future complete.
    return StateWord(bits: old.bits & ~(StateWord.handler | StateWord.withdrawing))
  }

  /// Completes with an error if nobody has completed or claimed the future yet.
  @inlinable
  @discardableResult
  final func fail(_ error: any Error) -> Bool {
    guard let old = claim() else { return false }
    write(error)
    publish(after: old)
    return true
  }

  /// Whether a complete future has a value.
  @inlinable
  final var hasValue: Bool {
    state.load(ordering: .relaxed) == StateWord.answered && outcome != .error
  }

  /// The error of a complete future, nil if it has a value.
  @inlinable
  final var failure: (any Error)? { hasValue ? nil : completedError }

  /// The error of a complete future that has no value.
  @usableFromInline
  final var completedError: any Error {
    isCancelled ? CancellationError() : storage.load(as: (any Error).self)
  }
}
