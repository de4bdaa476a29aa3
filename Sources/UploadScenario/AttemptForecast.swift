/// How often each upload of `resilient` is tried, and whether that fits into the deadline: faults and waits are data.
struct AttemptForecast: Sendable {
  /// Whether the job as a whole takes longer than it may.
  let exceedDeadline: Bool
  private let counts: [Int]

  init(scenario: Scenario, post: Post) {
    guard scenario.pattern == .resilient else {
      (exceedDeadline, counts) = (false, [])
      return
    }
    counts = post.media.map { Self.attempts(of: scenario, at: $0.index) ?? scenario.retry.attempts }
    guard let deadline = scenario.retry.deadline else {
      exceedDeadline = false
      return
    }
    let isInstant = scenario.service != .latency
    let trace = isInstant ? nil : scenario.latencyTrace(for: post)
    let longest = zip(post.media, counts).map { media, count in
      Self.time(of: scenario, media, attempts: count, answer: trace?.uploadNanoseconds[media.index] ?? 0)
    }.max()
    exceedDeadline = deadline <= .zero || longest ?? .zero > deadline
  }

  /// The fewest attempts at an upload of a post that is created.
  func count(at index: Int) -> Int { counts[index] }

  /// How many attempts it takes until one succeeds; nil if none does.
  static func attempts(of scenario: Scenario, at index: Int) -> Int? {
    if let deadline = scenario.retry.attemptDeadline, deadline <= .zero { return nil }
    for attempt in 1...max(1, scenario.retry.attempts) {
      switch scenario.faults.kind(at: index, attempt: attempt) {
      case nil: return attempt
      case .refusal: return nil
      case .transient, .silence: continue
      }
    }
    return nil
  }

  private static func time(of scenario: Scenario, _ media: Media, attempts: Int, answer: UInt64) -> Duration {
    (1...max(1, attempts)).reduce(.zero) { time, attempt in
      let isSilent = scenario.faults.kind(at: media.index, attempt: attempt) == .silence
      let wait = attempt == 1 ? .zero : scenario.retry.backoff(afterAttempt: attempt - 1, of: media)
      return time + wait
        + (isSilent ? scenario.retry.attemptDeadline ?? .seconds(86_400) : .nanoseconds(Int64(answer)))
    }
  }
}
