/// The duty to wake a coroutine that was served.
@usableFromInline struct ChannelWake {
  let fiber: FiberPointer
  let epoch: UInt64
  let claim: Claim

  init(fiber: FiberPointer, epoch: UInt64, claim: Claim) {
    self.fiber = fiber
    self.epoch = epoch
    self.claim = claim
  }

  /// Outside of the channel's lock: without a scheduler the coroutine may run within.
  @usableFromInline func callAsFunction() {
    switch claim {
    case .early: if fiber.finishDelivery(epoch: epoch) { fiber.makeReady() }
    case .parked: fiber.makeReady()
    }
  }
}

/// Those who were claimed at once, linked through their fibers.
struct ChannelWakeList {
  private var first: FiberPointer?
  private var last: FiberPointer?

  /// Under the channel's lock. One that has not left its stack needs no more than to be told.
  mutating func append(_ wake: ChannelWake) {
    if wake.claim == .early, !wake.fiber.finishDelivery(epoch: wake.epoch) { return }
    wake.fiber.pointee.next = nil
    if let last { last.pointee.next = wake.fiber } else { first = wake.fiber }
    last = wake.fiber
  }

  func wakeAll() {
    var fiber = first
    while let ready = fiber {
      fiber = ready.pointee.next
      ready.makeReady()
    }
  }
}
