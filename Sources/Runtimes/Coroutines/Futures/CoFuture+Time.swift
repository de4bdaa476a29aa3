extension CoFuture {
  /// The same result, or `CoroutineError.timedOut` if it takes longer: then this future is cancelled, if nobody else waits
  /// for it. The error comes on the timer's thread.
  public func timeout(_ duration: Duration, on timer: CoTimer = .system) -> CoFuture {
    let limited = CoFuture()
    let work = timer.schedule(after: duration) { limited.expire() }
    limited.follow(self) { source in
      work.cancel()
      limited.copy(source)
    }
    limited.setCancelHandler { work.cancel() }
    return limited
  }

  /// The same for a moment, as the timer's `now` counts.
  public func deadline(_ moment: Duration, on timer: CoTimer) -> CoFuture {
    timeout(moment - timer.now, on: timer)
  }
}

extension AnyCoFuture {
  /// Fails because time is up.
  final func expire() {
    lock.lock()
    let upstream = upstream
    lock.unlock()
    fail(CoroutineError.timedOut)
    upstream?.withdraw()?.cancel()
  }
}
