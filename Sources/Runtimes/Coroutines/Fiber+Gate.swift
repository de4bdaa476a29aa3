import Synchronization

/// The bits of a fiber's atomic word `gate`. Threads that want to end the wait of the fiber's coroutine compete by changing
/// the word.
///
/// Bits 0-2 hold the phase. Bit 3: cancellation cannot end the wait. Bit 4: a result counts even after a cancellation. Bit 5:
/// cancellation ended the wait. Bits 8 and up hold the epoch, the number of waits that the fiber has had.
enum Gate {
  static let phaseMask: UInt64 = 7
  static let running: UInt64 = 0
  /// The coroutine waits but has not left its stack.
  static let prepared: UInt64 = 1
  /// The coroutine waits and has left its stack. The thread that ends the wait must resume the coroutine.
  static let suspended: UInt64 = 2
  /// A thread is ending the wait and writes the result, but the coroutine has not left its stack yet.
  static let delivering: UInt64 = 3
  /// Like `delivering`, but the coroutine has left its stack meanwhile. The thread that writes the result must resume it.
  static let deliveringParked: UInt64 = 4
  static let claimed: UInt64 = 5
  static let shielded: UInt64 = 8
  static let reclaimable: UInt64 = 16
  static let cancelled: UInt64 = 32
  static let epochShift: UInt64 = 8
}

/// What a thread must do about a coroutine whose wait only this thread may end.
@usableFromInline enum Claim {
  /// The coroutine is still on its stack and continues by itself, so the thread need not resume it.
  case early
  /// The coroutine has left its stack, so the thread must schedule its fiber.
  case parked
}

extension FiberPointer {
  /// Begins a wait of the running coroutine. The caller must call `park` next.
  func open(flags: UInt64 = 0) -> Suspension {
    let gate = pointee.gate.load(ordering: .relaxed)
    guard gate & Gate.phaseMask == Gate.claimed || gate & Gate.phaseMask == Gate.running else {
      // A `precondition` would print no message in an optimised build.
      fatalError(
        "a coroutine waits inside the closure that starts another wait: move it out, or start a new coroutine"
      )
    }
    let epoch = (gate >> Gate.epochShift) &+ 1
    let shield = pointee.shieldDepth > 0 ? Gate.shielded : 0
    pointee.gate.store(epoch << Gate.epochShift | Gate.prepared | shield | flags, ordering: .releasing)
    return Suspension(fiber: self, epoch: epoch)
  }

  /// Switches away from the fiber's stack until the wait has ended. Returns whether cancellation ended it.
  @inline(__always) func park() -> Bool {
    var gate = pointee.gate.load(ordering: .acquiring)
    // A loop, because cancellation may resume the coroutine while another thread is still writing a late result.
    while gate & Gate.phaseMask != Gate.claimed {
      leave(.parked)
      gate = pointee.gate.load(ordering: .acquiring)
    }
    return gate & Gate.cancelled != 0
  }

  /// Marks a wait as suspended once the coroutine has left its stack. Returns false if the wait has already ended.
  func settle() -> Bool {
    var gate = pointee.gate.load(ordering: .relaxed)
    while true {
      let desired: UInt64
      switch gate & Gate.phaseMask {
      case Gate.prepared: desired = gate & ~Gate.phaseMask | Gate.suspended
      case Gate.delivering: desired = gate & ~Gate.phaseMask | Gate.deliveringParked
      default:
        // Another thread has ended the wait. The load acquires that thread's writes before the fiber continues.
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
    // From here on, the fiber may run on another thread. A cancelling thread sets `isCancelled` and then reads `gate`. This
    // thread wrote `gate` and then reads `isCancelled`. All are sequentially consistent, so one thread sees the other's write.
    guard gate & Gate.phaseMask == Gate.suspended, pointee.isCancelled.load(ordering: .sequentiallyConsistent)
    else { return true }
    return claimForCancellation(epoch: gate >> Gate.epochShift) != .parked
  }

  /// Ends the wait with the number `epoch`; `nil` means the current one. Returns `nil` if cancellation cannot end that wait.
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
  /// Tries to win the right to end the wait. The thread that succeeds writes the result and then calls `end`.
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

  /// Ends the wait after a successful `claim`. Returns whether the fiber has left its stack and must be made ready.
  func end(_ claim: Claim) -> Bool {
    if claim == .parked { return true }
    // Meanwhile, only `settle` may change the gate: once, from `delivering` to `deliveringParked`. The exchange acquires that
    // change, so the coroutine's stack is completely saved before another thread resumes it.
    let claimed = fiber.pointee.gate.load(ordering: .relaxed) & ~Gate.phaseMask | Gate.claimed
    let before = fiber.pointee.gate.exchange(claimed, ordering: .acquiringAndReleasing)
    return before & Gate.phaseMask == Gate.deliveringParked
  }

  var isCancelled: Bool {
    let gate = fiber.pointee.gate.load(ordering: .sequentiallyConsistent)
    return gate >> Gate.epochShift == epoch && gate & Gate.cancelled != 0
  }

  /// Continues a wait that cancellation has ended. Does nothing if the result has arrived or another wait has begun.
  func reopen() {
    let gate = fiber.pointee.gate.load(ordering: .acquiring)
    guard gate & Gate.cancelled != 0, gate >> Gate.epochShift == epoch else { return }
    _ = fiber.pointee.gate.compareExchange(
      expected: gate, desired: gate & ~(Gate.phaseMask | Gate.cancelled) | Gate.prepared | Gate.shielded,
      ordering: .acquiringAndReleasing)
  }
}

/// A reference to one wait of one coroutine, for the threads that may end the wait. A wait that is over cannot be ended again,
/// even if its fiber has been reused.
@usableFromInline struct Suspension: @unchecked Sendable {
  // Invariant: a fiber's memory is never freed, and other threads touch only its gate, which is atomic.
  let fiber: FiberPointer
  let epoch: UInt64
}

extension Suspension {
  /// Begins a wait of the running coroutine, which must call `park` next. `staysForResult` allows `parkAgain` after a
  /// cancellation. Throws `CancellationError` in a cancelled coroutine.
  @usableFromInline init(staysForResult: Bool) throws {
    let fiber = try FiberPointer.current()
    try fiber.checkCancellation()
    self = fiber.open(flags: staysForResult ? Gate.reclaimable : UInt64(0))
  }

  @usableFromInline func park() -> Bool { fiber.park() }

  /// Waits for the result after cancellation has ended the wait.
  @usableFromInline func parkAgain() {
    reopen()
    _ = fiber.park()
  }

  /// Ends the wait after a successful `claim`. Hold no lock, because the coroutine may run inside the call.
  @usableFromInline func finish(_ claim: Claim) {
    if end(claim) { fiber.makeReady() }
  }
}
