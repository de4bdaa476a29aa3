import Synchronization

extension AnyFuture {
  /// Wins the right to write the result, for futures with more than one possible producer.
  @inlinable
  final func claim() -> Bool {
    var current = word(.relaxed)
    while !current.isClaimedOrComplete {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: current.bits | StateWord.claimed,
        successOrdering: .acquiring, failureOrdering: .relaxed)
      if exchanged { return true }
      current = StateWord(bits: original)
    }
    return false
  }

  /// Makes the written result visible and tells everybody. Only for the holder of the claim.
  @inlinable
  final func publish() {
    let old = StateWord(bits: state.exchange(StateWord.answered, ordering: .acquiringAndReleasing))
    if old.bits != StateWord.claimed, prepareDelivery(after: old) { deliver() }
  }

  /// Makes the result written by a step visible, unless the node has been cancelled meanwhile.
  ///
  /// A step is the only producer of its node, so one exchange is enough.
  /// - Returns: whether there is somebody to tell.
  @inlinable
  final func publishFromStep() -> Bool {
    var current = word(.relaxed)
    while current.bits != StateWord.cancelled {
      let (exchanged, original) = state.weakCompareExchange(
        expected: current.bits, desired: StateWord.answered,
        successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged {
        upstream = nil
        return current.bits != StateWord.pending && prepareDelivery(after: current)
      }
      current = StateWord(bits: original)
    }
    return false
  }

  @inlinable
  final func failFromStep(_ error: any Error) -> Bool {
    self.error = error
    return publishFromStep()
  }

  /// Turns what was waiting at the moment of completion into a list in order of registration.
  /// - Returns: whether there is somebody to tell.
  @usableFromInline
  final func prepareDelivery(after old: StateWord) -> Bool {
    if old.has(StateWord.handlerReady) { takeCancelHandler() }
    // A busy slot belongs to the thread that is writing it; it will find the future complete and deliver.
    let hasInline = old.has(StateWord.observerReady)
    if hasInline { hasInlineObserver = true }
    var node = old.observers == 0 ? nil : Unmanaged<AnyFuture>.at(old.observers)
    var ordered: Unmanaged<AnyFuture>?
    while let current = node {
      current._withUnsafeGuaranteedRef {
        node = $0.next
        $0.next = ordered
      }
      ordered = current
    }
    observers = ordered
    return hasInline || ordered != nil
  }

  /// Tells everybody, at once or (inside a callback) when the running callback has returned.
  @usableFromInline
  final func deliver() {
    let queue = DeliveryQueue.current
    if queue.pointee.isActive {
      queue.pointee.append(.init(target: .passRetained(self), source: nil))
    } else {
      queue.runOutermost { flush(queue) }
    }
  }

  /// Calls everybody who waits, in order of registration. Called once, by a delivery, on a complete future.
  @usableFromInline
  final func flush(_ queue: UnsafeMutablePointer<DeliveryQueue>) {
    if hasInlineObserver {
      hasInlineObserver = false
      runInlineObserver()
    }
    var node = observers.take()
    while let current = node {
      let mustFlush = current._withUnsafeGuaranteedRef {
        node = $0.next.take()
        return $0.step($0, self)
      }
      // The list's retain goes on to the queue, or ends here.
      if mustFlush {
        queue.pointee.append(.init(target: current, source: nil))
      } else {
        current.release()
      }
    }
  }

  @usableFromInline
  final func runInlineObserver() {
    // Not `take()`: passing a closure as a generic value wraps it in a thunk that is allocated.
    guard let step = inlineStep else { return }
    inlineStep = nil
    step(self)
  }
}

extension Unmanaged where Instance == AnyFuture {
  @inlinable
  static func at(_ address: UInt) -> Self { .fromOpaque(UnsafeRawPointer(bitPattern: address)!) }

  @inlinable
  var address: UInt { UInt(bitPattern: toOpaque()) }
}
