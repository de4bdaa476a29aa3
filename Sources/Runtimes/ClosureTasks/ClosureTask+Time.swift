import RuntimeTiming

extension ClosureTask {
  /// This task, begun that much later. The wait ends at once if the run is cancelled.
  public func delay(for delay: Duration) -> ClosureTask {
    let task = ComposedTask(self)
    return ClosureTask { controller in
      let wait = TimerPart(after: delay) { task.task.run(controller) }
      if !controller.setPart(wait) { wait.timer.cancel() }
    }
  }

  /// The same outcome, or ``ClosureTaskError/timedOut`` if it takes longer; this task is cancelled then, before
  /// the completion is called.
  public func timeout(after limit: Duration) -> ClosureTask {
    let task = ComposedTask(self)
    return ClosureTask { controller in
      let limited = Controller(progress: controller.progress, isPart: true) { controller.complete(with: $0) }
      let timer = OneShotTimer(after: limit) {
        // The whole ends first: the part's cancellation then comes too late to be the outcome.
        controller.fail(with: ClosureTaskError.timedOut) { limited.cancel() }
      }
      let isRunning =
        controller.setPart(limited)
        && task.task.runPart(of: limited, progress: controller.progress) { result in
          timer.cancel()
          limited.complete(with: result)
        }
      if !isRunning {
        timer.cancel()
        limited.drop()
      }
    }
  }

  /// This task up to that many times, until it succeeds, with waits between the attempts.
  ///
  /// The outcome is the first value or the last error. Errors for which `isRetryable` is false end it at once, as
  /// does a cancellation. Fewer than 1 attempt is a programming error.
  public func retry(
    attempts: Int, backoff: Backoff = .none,
    if isRetryable: @escaping @Sendable (any Error) -> Bool = { _ in true }
  ) -> ClosureTask {
    precondition(attempts > 0, "\(attempts) attempts start nothing; there must be at least 1")
    return attempt(1, of: attempts, backoff, isRetryable)
  }

  private func attempt(
    _ number: Int, of attempts: Int, _ backoff: Backoff,
    _ isRetryable: @escaping @Sendable (any Error) -> Bool
  ) -> ClosureTask {
    guard number < attempts else { return self }
    return recover { error in
      guard isRetryable(error) else { throw error }
      let next = attempt(number + 1, of: attempts, backoff, isRetryable)
      let delay = backoff.delay(afterFailure: number)
      return delay == .zero ? next : next.delay(for: delay)
    }
  }
}

/// A wait that a run is in.
///
/// `@unchecked Sendable`: immutable.
private final class TimerPart: TaskPart, @unchecked Sendable {
  let timer: OneShotTimer

  init(after delay: Duration, _ fire: @escaping @Sendable () -> Void) {
    timer = OneShotTimer(after: delay, fire)
    super.init()
  }

  override func cancelPart(for runs: inout [TaskRun]) -> TaskPart? {
    timer.cancel()
    return nil
  }
}
