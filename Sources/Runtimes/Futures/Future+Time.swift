import RuntimeTiming

extension Future {
  /// The value, after a while. Nothing is kept once the future is cancelled.
  public static func after(_ delay: Duration, value: Value) -> Future {
    let promise = Promise<Value>()
    let timer = OneShotTimer(after: delay) { promise.succeed(value) }
    promise.onCancel { timer.cancel() }
    return promise.future
  }

  /// The same outcome, told that much later. A failure is told at once.
  public final func delay(for delay: Duration) -> Future {
    flatMap { value in .after(delay, value: value) }
  }

  /// The same outcome, or ``FutureError/timedOut`` if it takes longer; this future is cancelled then.
  public final func timeout(after limit: Duration) -> Future {
    let alarm = Future<Void>.after(limit, value: ())
    return Combination<Value>(
      of: [self, alarm],
      decide: { source in
        source === alarm
          ? .failure(FutureError.timedOut) : unsafeDowncast(source, to: Future.self).completedResult
      },
      assemble: { _ in .failure(FutureError.timedOut) })
  }

  /// Starts work up to that many times, until it succeeds, with waits between the attempts.
  ///
  /// The outcome is the first value or the last error. Errors for which `isRetryable` is false end it at once, as does a
  /// cancellation. Attempts start on the calling thread, or where the one before ended. Fewer than 1 attempt is a
  /// programming error.
  public static func retry(
    attempts: Int, backoff: Backoff = .none,
    if isRetryable: @escaping @Sendable (any Error) -> Bool = { _ in true },
    _ start: @escaping @Sendable () throws -> Future
  ) -> Future {
    precondition(attempts > 0, "\(attempts) attempts start nothing; there must be at least 1")
    return attempt(1, of: attempts, backoff, isRetryable, start)
  }

  private static func attempt(
    _ number: Int, of attempts: Int, _ backoff: Backoff,
    _ isRetryable: @escaping @Sendable (any Error) -> Bool,
    _ start: @escaping @Sendable () throws -> Future
  ) -> Future {
    let future: Future
    do { future = try start() } catch { future = Future(error: error) }
    guard number < attempts else { return future }
    return future.flatMapError { error in
      guard isRetryable(error) else { throw error }
      let delay = backoff.delay(afterFailure: number)
      if delay == .zero { return attempt(number + 1, of: attempts, backoff, isRetryable, start) }
      return Future<Void>.after(delay, value: ()).flatMap {
        attempt(number + 1, of: attempts, backoff, isRetryable, start)
      }
    }
  }
}
