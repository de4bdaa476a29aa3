import RuntimeSupport

extension Future {
  /// The value, after a while, or here and now for no delay. Nothing is kept once the future is cancelled.
  public static func after(_ delay: Duration, value: Value) -> Future {
    guard delay > .zero else { return Future(value: value) }
    let promise = Promise<Value>()
    let timer = OneShotTimer(after: delay) { promise.succeed(value) }
    promise.onCancel { timer.cancel() }
    return promise.future
  }

  /// The same outcome, told that much later. A failure is told at once.
  public final func delay(for delay: Duration) -> Future {
    flatMap { value in .after(delay, value: value) }
  }

  /// The same outcome, or `error` if it takes longer; this future is cancelled then. Nil is no limit.
  public final func timeout(after limit: Duration?, error: any Error = FutureError.timedOut) -> Future {
    guard let limit else { return self }
    return Future.limited(self, by: .after(limit, value: ()), error)
  }

  /// The outcome of work that is started now, or `error` if it takes longer; it is cancelled then. A limit of zero or less
  /// has passed: nothing is started. Nil is no limit.
  public static func timeout(
    after limit: Duration?, error: any Error = FutureError.timedOut, _ start: () throws -> Future
  ) -> Future {
    if let limit, limit <= .zero { return Future(error: error) }
    // Before the work, whose start takes of its time.
    let alarm = limit.map { Future<Void>.after($0, value: ()) }
    let work: Future
    do { work = try start() } catch { work = Future(error: error) }
    return alarm.map { limited(work, by: $0, error) } ?? work
  }

  private static func limited(_ work: Future, by alarm: Future<Void>, _ error: any Error) -> Future {
    FutureCombination<Value>(
      of: [work, alarm],
      decide: { source in
        source === alarm ? .failure(error) : unsafeDowncast(source, to: Future.self).completedResult
      },
      assemble: { _ in .failure(error) })
  }

  /// Starts work up to that many times (at least 1), until it succeeds, with waits between the attempts.
  ///
  /// The outcome is the first value or the last error. An error for which `isRetryable` is false ends it at once, as does
  /// a cancellation. Attempts start on the calling thread, or where the one before ended.
  public static func retry(
    attempts: Int, backoff: Backoff = .none,
    if isRetryable: @escaping @Sendable (any Error) -> Bool = { _ in true },
    _ start: @escaping @Sendable () throws -> Future
  ) -> Future {
    retry(attempts: attempts, delay: { backoff.delay(afterFailure: $0) }, if: isRetryable, start)
  }

  /// Starts work up to that many times, until it succeeds, with the wait that `delay` says for the number of failures so
  /// far, from 1; see ``retry(attempts:backoff:if:_:)``.
  public static func retry(
    attempts: Int, delay: @escaping @Sendable (_ failures: Int) -> Duration,
    if isRetryable: @escaping @Sendable (any Error) -> Bool = { _ in true },
    _ start: @escaping @Sendable () throws -> Future
  ) -> Future {
    precondition(attempts > 0, "\(attempts) attempts start nothing; there must be at least 1")
    return attempt(1, of: attempts, delay, isRetryable, start)
  }

  private static func attempt(
    _ number: Int, of attempts: Int, _ delay: @escaping @Sendable (Int) -> Duration,
    _ isRetryable: @escaping @Sendable (any Error) -> Bool,
    _ start: @escaping @Sendable () throws -> Future
  ) -> Future {
    let future: Future
    do { future = try start() } catch { future = Future(error: error) }
    guard number < attempts else { return future }
    return future.flatMapError { error in
      guard isRetryable(error) else { throw error }
      let wait = delay(number)
      if wait <= .zero { return attempt(number + 1, of: attempts, delay, isRetryable, start) }
      return Future<Void>.after(wait, value: ()).flatMap {
        attempt(number + 1, of: attempts, delay, isRetryable, start)
      }
    }
  }
}

/// How long to wait before each further attempt.
public typealias Backoff = RuntimeSupport.Backoff
