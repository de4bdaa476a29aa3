import UploadScenario

/// The ruler measured: what the harness itself adds to every post it times.
public enum HarnessOverhead {
  /// The time of a post on which a contender does nothing at all, median of `posts`, in nanoseconds.
  ///
  /// It is the two readings of the clock and the call of the completion in between: all else that the harness does
  /// lies outside the timed region.
  public static func overheadNanoseconds(clock: HarnessClock = .monotonic, posts: Int = 1_001) -> Double {
    let ledger = Ledger(requestCount: 0, nanoseconds: clock.nanoseconds)
    let times = (0..<posts).map { _ in
      let run = PostRun(clock: clock, ledger: ledger)
      let completion = run.makeCompletion()
      let start = clock.nanoseconds()
      completion(.failure(CancellationError()))
      return (run.ending?.nanoseconds ?? start) - start
    }
    return Double(times.sorted()[posts / 2])
  }
}
