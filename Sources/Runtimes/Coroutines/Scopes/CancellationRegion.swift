import Synchronization

/// A stretch of a coroutine that can be cancelled by itself: a scope's body, or one with a timeout.
struct CancellationRegion: ~Copyable {
  // Invariant: it lies on the coroutine's stack from `enter` to `leave`, which nest. Others touch `isCancelled`, under a
  // lock that says it is not over.
  fileprivate let outer: UnsafeMutablePointer<CancellationRegion>?
  fileprivate let isCancelled = Atomic<Bool>(false)

  init(in fiber: FiberPointer) { outer = fiber.pointee.region }
}

extension UnsafeMutablePointer<CancellationRegion> {
  func enter(_ fiber: FiberPointer) { fiber.pointee.region = self }

  /// Leaves the hint, and ends what the coroutine waits for. On `.parked` the caller makes it ready.
  func cancel(_ fiber: FiberPointer) -> Claim? {
    pointee.isCancelled.store(true, ordering: .sequentiallyConsistent)
    return fiber.requestCancellation()
  }

  /// Ends it, when nobody can cancel it any more. Its cancellation ends with it; that of what is around it does not.
  func leave(_ fiber: FiberPointer) {
    fiber.pointee.region = pointee.outer
    guard pointee.isCancelled.load(ordering: .relaxed) else { return }
    fiber.restoreCancellation()
  }

  /// Whether this one or one around it is cancelled.
  func isAnyCancelled() -> Bool {
    var region: UnsafeMutablePointer<CancellationRegion>? = self
    while let current = region {
      if current.pointee.isCancelled.load(ordering: .sequentiallyConsistent) { return true }
      region = current.pointee.outer
    }
    return false
  }
}
