import RuntimeSupport

extension ClosureTask {
  /// This task, begun that much later, or here and now for no delay. The wait ends at once if the run is cancelled.
  public func delay(for delay: Duration) -> ClosureTask {
    guard delay > .zero else { return self }
    let task = Composed(self)
    return ClosureTask { controller in
      let wait = TimerPart(after: delay) {
        if let queue = controller.queue {
          queue.async { controller.takeStep { task.parts.run(controller) } }
        } else {
          controller.takeStep { task.parts.run(controller) }
        }
      }
      if !controller.setPart(wait) { wait.timer.cancel() }
    }
  }

  /// The same outcome, or `error` if it takes longer; this task is cancelled then, before the completion is called. With a
  /// limit of zero or less it does not begin. Nil is no limit.
  public func timeout(
    after limit: Duration?, error: any Error = ClosureTaskError.timedOut
  ) -> ClosureTask {
    guard let limit else { return self }
    guard limit > .zero else { return ClosureTask { $0.fail(with: error) } }
    let task = Composed(self)
    return ClosureTask { controller in
      let limited = Controller(progress: controller.progress, isPart: true, queue: controller.queue) {
        controller.complete(with: $0)
      }
      let timer = OneShotTimer(after: limit) {
        // The whole ends first: the part's cancellation then comes too late to be the outcome.
        controller.fail(with: error, cancelling: limited)
      }
      var isRunning = false
      if controller.setPart(limited) {
        limited.takeStep {
          isRunning = task.parts.runPart(of: limited, progress: controller.progress) { result in
            timer.cancel()
            limited.complete(with: result)
          }
        }
      }
      if !isRunning {
        timer.cancel()
        limited.drop()
      }
    }
  }

  /// This task up to that many times (at least 1), until it succeeds, with waits between the attempts. The outcome is the
  /// first value or the last error; one for which `isRetryable` is false ends it at once, as does a cancellation.
  public func retry(
    attempts: Int, backoff: Backoff = .none,
    if isRetryable: @escaping @Sendable (any Error) -> Bool = { _ in true }
  ) -> ClosureTask {
    retry(attempts: attempts, delay: { backoff.delay(afterFailure: $0) }, if: isRetryable)
  }

  /// This task up to that many times, until it succeeds, with the wait that `delay` says for the number of failures so
  /// far, from 1; see ``retry(attempts:backoff:if:)``.
  public func retry(
    attempts: Int, delay: @escaping @Sendable (_ failures: Int) -> Duration,
    if isRetryable: @escaping @Sendable (any Error) -> Bool = { _ in true }
  ) -> ClosureTask {
    precondition(attempts > 0, "\(attempts) attempts start nothing; there must be at least 1")
    return attempt(1, of: attempts, delay, isRetryable)
  }

  private func attempt(
    _ number: Int, of attempts: Int, _ delay: @escaping @Sendable (Int) -> Duration,
    _ isRetryable: @escaping @Sendable (any Error) -> Bool
  ) -> ClosureTask {
    guard number < attempts else { return self }
    return recover { error in
      guard isRetryable(error) else { throw error }
      return attempt(number + 1, of: attempts, delay, isRetryable).delay(for: delay(number))
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

  override func cancelPart(for cancelled: inout CancelledRuns) -> TaskPart? {
    timer.cancel()
    return nil
  }
}

/// How long to wait before each further attempt.
public typealias Backoff = RuntimeSupport.Backoff
