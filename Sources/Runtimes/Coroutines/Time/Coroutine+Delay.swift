extension Coroutine {
  /// Waits a while without blocking a thread; inside a coroutine. Returns at once if the duration is not positive.
  /// Without a scheduler the coroutine goes on on the timer's thread.
  ///
  /// - Throws: `CancellationError` if the coroutine is cancelled meanwhile, or was before.
  public static func delay(
    _ duration: Duration, on timer: CoTimer = .system, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    let fiber = FiberPointer.current(for: "delay")
    try fiber.checkCancellation()
    if duration <= .zero { return }
    let epoch = fiber.open(AwaitSite("a delay", file, line))
    var entry = TimerEntry(
      deadlineNanoseconds: timer.deadlineNanoseconds(after: duration), action: .resume(fiber, epoch: epoch))
    try withUnsafeMutablePointer(to: &entry) { entry in
      timer.insert(entry)
      if fiber.park() {
        timer.remove(entry)
        throw CancellationError()
      }
    }
  }
}
