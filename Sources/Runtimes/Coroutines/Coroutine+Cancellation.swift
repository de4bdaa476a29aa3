extension Coroutine {
  /// Whether the running coroutine was cancelled; inside a coroutine.
  public static var isCancelled: Bool {
    FiberPointer.current(for: "isCancelled").pointee.isCancelled.load(ordering: .relaxed)
  }

  /// Throws `CancellationError` if the running coroutine was cancelled; inside a coroutine.
  public static func checkCancellation() throws {
    try FiberPointer.current(for: "checkCancellation").checkCancellation()
  }

  /// Runs `body` with awaits that cancellation does not end, for cleaning up; inside a coroutine.
  public static func shielded<Value>(_ body: () throws -> Value) rethrows -> Value {
    let fiber = FiberPointer.current(for: "shielded")
    fiber.pointee.shieldDepth += 1
    defer { fiber.pointee.shieldDepth -= 1 }
    return try body()
  }
}

extension FiberPointer {
  func checkCancellation() throws {
    if pointee.isCancelled.load(ordering: .relaxed), pointee.shieldDepth == 0 { throw CancellationError() }
  }

  /// The hint, as the coroutine's regions and its own cancellation have it; on that fiber.
  func restoreCancellation() {
    if let task = pointee.task {
      task._withUnsafeGuaranteedRef { $0.restoreCancellation(of: self) }
    } else if let group = pointee.group {
      pointee.lifeLock.lock()
      restoreCancellation(isRequested: group._withUnsafeGuaranteedRef { $0.hasFailed })
      pointee.lifeLock.unlock()
    }
  }

  /// Under the lock that guards the hint.
  func restoreCancellation(isRequested: @autoclosure () -> Bool) {
    // First cleared, then set again: a region is marked before the hint is set, so one of the two stores comes last.
    pointee.isCancelled.store(false, ordering: .sequentiallyConsistent)
    if isRequested() || pointee.region?.isAnyCancelled() == true {
      pointee.isCancelled.store(true, ordering: .sequentiallyConsistent)
    }
  }

  /// Cancels what it runs, if that is still the same, and the scopes that it is in: nothing starts in them once this has
  /// returned, whenever the fiber itself gets to know. The lock keeps it from being reused meanwhile.
  func cancel(life: UInt64) {
    var list = CancellationList()
    cancel(life: life, &list)
    list.run()
  }

  /// The same, with the scopes left to the list.
  func cancel(life: UInt64, _ list: inout CancellationList) {
    pointee.lifeLock.lock()
    guard pointee.life == life else {
      pointee.lifeLock.unlock()
      return
    }
    let claim = requestCancellation()
    let scopes = pointee.scope?.chain ?? []
    pointee.lifeLock.unlock()
    if claim == .parked { makeReady() }
    list.push(scopes)
  }

  /// The scopes that the fiber is in, innermost first, for whoever cancels it.
  func enteredScopes() -> [CoScope] {
    pointee.lifeLock.lock()
    defer { pointee.lifeLock.unlock() }
    return pointee.scope?.chain ?? []
  }

  /// Leaves the hint, and ends what the fiber waits for. On `.parked` the caller makes it ready.
  func requestCancellation() -> Claim? {
    pointee.isCancelled.store(true, ordering: .sequentiallyConsistent)
    return claimForCancellation()
  }
}
