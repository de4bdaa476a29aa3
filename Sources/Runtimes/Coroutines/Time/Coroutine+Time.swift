extension Coroutine {
  /// Waits a while without blocking a thread; inside a coroutine. Returns at once if the duration is not positive.
  /// Without a scheduler the coroutine resumes on the timer's thread.
  ///
  /// - Throws: `CancellationError` if the coroutine is cancelled meanwhile, or was before.
  public static func delay(
    _ duration: Duration, on timer: CoTimer = .system
  ) throws {
    let fiber = try FiberPointer.current()
    try fiber.checkCancellation()
    if duration <= .zero { return }
    let suspension = fiber.open()
    var entry = TimerEntry(
      deadlineNanoseconds: timer.deadlineNanoseconds(after: duration), action: .resume(suspension))
    try withUnsafeMutablePointer(to: &entry) { entry in
      timer.insert(entry)
      if fiber.park() {
        timer.remove(entry)
        throw CancellationError()
      }
    }
  }

  /// Runs `body`, whose awaits end after a while; inside a coroutine.
  ///
  /// What `body` awaits then is cancelled, as are groups it runs, and this returns as soon as `body` does. Inside
  /// `shielded` nothing ends an await. If the duration is not positive, `body` never begins.
  ///
  /// - Throws: `CoroutineError.timedOut` if time was up before `body` had its result or error; else what `body` throws.
  public static func withTimeout<Value>(
    _ duration: Duration, on timer: CoTimer = .system, _ body: () throws -> Value
  ) throws -> Value {
    let fiber = try FiberPointer.current()
    try fiber.checkCancellation()
    if duration <= .zero { throw CoroutineError.timedOut }
    var region = CancellationRegion(in: fiber)
    return try withUnsafeMutablePointer(to: &region) { region in
      let limit = TimeLimit(fiber: fiber, region: region)
      region.enter(fiber)
      let work = timer.schedule(after: duration) { limit.expire() }
      let result = Result { try body() }
      work.cancel()
      let isTimedOut = limit.end()
      region.leave(fiber)
      if isTimedOut { throw CoroutineError.timedOut }
      return try result.get()
    }
  }
}

/// Decides whether time is up before the body is done.
private final class TimeLimit: @unchecked Sendable {
  // Invariant: `isOver` and `isExpired` are touched under `lock`; the fiber and its region are touched by others under it
  // too, and only until it is over.
  private let lock = CoLock()
  private let fiber: FiberPointer
  private let region: UnsafeMutablePointer<CancellationRegion>
  @exclusivity(unchecked) private var isOver = false
  @exclusivity(unchecked) private var isExpired = false

  init(fiber: FiberPointer, region: UnsafeMutablePointer<CancellationRegion>) {
    self.fiber = fiber
    self.region = region
  }

  func expire() {
    let claim = lock.withLock { () -> Claim? in
      if isOver { return nil }
      isExpired = true
      return region.cancel(fiber)
    }
    if claim == .parked { fiber.makeReady() }
  }

  func end() -> Bool {
    lock.withLock {
      isOver = true
      return isExpired
    }
  }
}
