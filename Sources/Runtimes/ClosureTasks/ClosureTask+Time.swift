import RuntimeTiming

extension ClosureTask {
  /// This task, begun that much later. The wait ends at once if the run is cancelled.
  public func delay(for delay: Duration) -> ClosureTask {
    ClosureTask { controller in
      let timer = OneShotTimer(after: delay) { run(controller) }
      controller.onCancel { timer.cancel() }
    }
  }

  /// The same outcome, or ``ClosureTaskError/timedOut`` if it takes longer; this task is cancelled then.
  public func timeout(after limit: Duration) -> ClosureTask {
    ClosureTask { controller in
      let part = Controller(progressHandler: controller.progressHandler) { controller.complete(with: $0) }
      let timer = OneShotTimer(after: limit) {
        // The whole ends first: the part's cancellation then comes too late to be the outcome.
        if controller.fail(with: ClosureTaskError.timedOut) { part.cancel() }
      }
      let tracked = Controller(progressHandler: controller.progressHandler) { result in
        timer.cancel()
        part.complete(with: result)
      }
      part.onCancel { tracked.cancel() }
      controller.onCancel { part.cancel() }
      run(tracked)
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
