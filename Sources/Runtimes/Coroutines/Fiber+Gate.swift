import Synchronization

/// Decides what ends a suspension: exactly one of all attempts, on any thread, before or after the fiber has left its stack.
///
/// One word: bits 0-2 the phase, bit 3 shielded (cancellation does not end it), bit 4 reclaimable (a result is still accepted
/// after cancellation ended it), bit 5 ended by cancellation, from bit 8 the epoch, which counts the suspensions of the fiber
/// over all its lives.
enum Gate {
  static let phaseMask: UInt64 = 7
  static let running: UInt64 = 0
  /// It waits, but has not left its stack.
  static let prepared: UInt64 = 1
  /// It has left; the claimer makes it ready.
  static let suspended: UInt64 = 2
  /// Claimed before it had left; the result is being written.
  static let delivering: UInt64 = 3
  /// The same, but it has left: the deliverer makes it ready.
  static let deliveringParked: UInt64 = 4
  static let claimed: UInt64 = 5
  static let shielded: UInt64 = 8
  static let reclaimable: UInt64 = 16
  static let cancelled: UInt64 = 32
  static let epochShift: UInt64 = 8
}

/// What the winner of a claim must do.
@usableFromInline enum Claim {
  /// Nothing: the fiber has not left.
  case early
  /// Make the fiber ready: it has left.
  case parked
}

extension FiberPointer {
  /// Opens a new suspension. The fiber must park next.
  func open(flags: UInt64 = 0) -> Suspension {
    let gate = pointee.gate.load(ordering: .relaxed)
    guard gate & Gate.phaseMask == Gate.claimed || gate & Gate.phaseMask == Gate.running else {
      // Not `precondition`, which prints no message in an optimised build.
      fatalError(
        "a coroutine waits inside the closure that starts another wait: wait before, or start a coroutine")
    }
    let epoch = (gate >> Gate.epochShift) &+ 1
    let shield = pointee.shieldDepth > 0 ? Gate.shielded : 0
    pointee.gate.store(epoch << Gate.epochShift | Gate.prepared | shield | flags, ordering: .releasing)
    return Suspension(fiber: self, epoch: epoch)
  }

  /// Leaves until the suspension has ended. Returns whether cancellation ended it.
  @inline(__always) func park() -> Bool {
    var gate = pointee.gate.load(ordering: .acquiring)
    // In a loop: a result that comes after cancellation had made the fiber ready may still be being written.
    while gate & Gate.phaseMask != Gate.claimed {
      leave(.parked)
      gate = pointee.gate.load(ordering: .acquiring)
    }
    return gate & Gate.cancelled != 0
  }

  /// On the resumer's side, once the fiber has left: true if it stays suspended, false if it must go on at once.
  func settle() -> Bool {
    var gate = pointee.gate.load(ordering: .relaxed)
    while true {
      let desired: UInt64
      switch gate & Gate.phaseMask {
      case Gate.prepared: desired = gate & ~Gate.phaseMask | Gate.suspended
      case Gate.delivering: desired = gate & ~Gate.phaseMask | Gate.deliveringParked
      default:
        // Claimed: order the claimer's writes before the fiber goes on.
        _ = pointee.gate.load(ordering: .acquiring)
        return false
      }
      let (exchanged, original) = pointee.gate.compareExchange(
        expected: gate, desired: desired, ordering: .sequentiallyConsistent)
      if exchanged {
        gate = desired
        break
      }
      gate = original
    }
    // From here on the fiber may run elsewhere. A cancellation that came too early to find it suspended set the flag before it
    // looked at the gate; both sides are sequentially consistent, so one of them sees the other.
    guard gate & Gate.phaseMask == Gate.suspended, pointee.isCancelled.load(ordering: .sequentiallyConsistent)
    else { return true }
    return claimForCancellation(epoch: gate >> Gate.epochShift) != .parked
  }

  /// Claims the suspension for cancellation: that of the epoch, or the current one.
  func claimForCancellation(epoch: UInt64? = nil) -> Claim? {
    var gate = pointee.gate.load(ordering: .sequentiallyConsistent)
    while true {
      if let epoch, gate >> Gate.epochShift != epoch { return nil }
      let phase = gate & Gate.phaseMask
      guard phase == Gate.prepared || phase == Gate.suspended, gate & Gate.shielded == 0 else { return nil }
      let (exchanged, original) = pointee.gate.compareExchange(
        expected: gate, desired: gate & ~Gate.phaseMask | Gate.claimed | Gate.cancelled,
        ordering: .sequentiallyConsistent)
      if exchanged { return phase == Gate.prepared ? .early : .parked }
      gate = original
    }
  }
}

extension Suspension {
  /// Tries to end it. The winner writes the result and ends the claim.
  @usableFromInline func claim() -> Claim? {
    var gate = fiber.pointee.gate.load(ordering: .acquiring)
    while gate >> Gate.epochShift == epoch {
      let desired: UInt64
      let claim: Claim
      switch gate & Gate.phaseMask {
      case Gate.prepared:
        (desired, claim) = (gate & ~Gate.phaseMask | Gate.delivering, .early)
      case Gate.suspended:
        (desired, claim) = (gate & ~Gate.phaseMask | Gate.claimed, .parked)
      case Gate.claimed where gate & Gate.cancelled != 0 && gate & Gate.reclaimable != 0:
        (desired, claim) = (gate & ~(Gate.phaseMask | Gate.cancelled) | Gate.delivering, .early)
      default: return nil
      }
      let (exchanged, original) = fiber.pointee.gate.compareExchange(
        expected: gate, desired: desired, ordering: .acquiringAndReleasing)
      if exchanged {
        if claim == .parked { fiber.prefetch() }
        return claim
      }
      gate = original
    }
    return nil
  }

  /// Ends a claim. Returns whether the fiber has left its stack and must be made ready.
  func end(_ claim: Claim) -> Bool {
    if claim == .parked { return true }
    // Only `settle` competes, and only once: from delivering to deliveringParked. The exchange acquires what it released, so
    // the stack is complete when the fiber is made ready.
    let claimed = fiber.pointee.gate.load(ordering: .relaxed) & ~Gate.phaseMask | Gate.claimed
    let before = fiber.pointee.gate.exchange(claimed, ordering: .acquiringAndReleasing)
    return before & Gate.phaseMask == Gate.deliveringParked
  }

  /// Whether cancellation has ended it, and its coroutine has not gone on yet.
  var isCancelled: Bool {
    let gate = fiber.pointee.gate.load(ordering: .sequentiallyConsistent)
    return gate >> Gate.epochShift == epoch && gate & Gate.cancelled != 0
  }

  /// Waits for the result of a reclaimable suspension that cancellation ended. The result may have come meanwhile, even before
  /// another suspension was opened.
  func reopen() {
    let gate = fiber.pointee.gate.load(ordering: .acquiring)
    guard gate & Gate.cancelled != 0, gate >> Gate.epochShift == epoch else { return }
    _ = fiber.pointee.gate.compareExchange(
      expected: gate, desired: gate & ~(Gate.phaseMask | Gate.cancelled) | Gate.prepared | Gate.shielded,
      ordering: .acquiringAndReleasing)
  }
}

/// One wait of one coroutine, for the threads that may end it. A suspension that is over cannot be ended again, whatever its
/// fiber does by then.
@usableFromInline struct Suspension: @unchecked Sendable {
  // Invariant: a fiber's memory is never freed, and other threads touch only its gate, which is atomic.
  let fiber: FiberPointer
  let epoch: UInt64
}

extension Suspension {
  /// Opens a suspension of the running coroutine, which must `park` next. Throws `CancellationError` if it was cancelled.
  ///
  /// - Parameter staysForResult: `parkAgain` will wait for the result after cancellation ended it.
  @usableFromInline init(staysForResult: Bool) throws {
    let fiber = try FiberPointer.current()
    try fiber.checkCancellation()
    self = fiber.open(flags: staysForResult ? Gate.reclaimable : UInt64(0))
  }

  /// Waits. Returns whether cancellation ended it.
  @usableFromInline func park() -> Bool { fiber.park() }

  /// Waits for the result although cancellation ended the suspension.
  @usableFromInline func parkAgain() {
    reopen()
    _ = fiber.park()
  }

  /// Ends a claim and, if the fiber has left its stack, makes it ready. Call it outside of locks: the fiber may run within.
  @usableFromInline func finish(_ claim: Claim) {
    if end(claim) { fiber.makeReady() }
  }
}
