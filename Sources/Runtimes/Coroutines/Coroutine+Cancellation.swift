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

  /// Leaves the hint, and ends what the fiber waits for. On `.parked` the caller makes it ready.
  func requestCancellation() -> Claim? {
    pointee.isCancelled.store(true, ordering: .sequentiallyConsistent)
    return claimForCancellation()
  }
}
