/// How long and how often uploads are tried: the same waits for everyone who is given the same policy.
public struct RetryPolicy: Sendable, Hashable, Codable {
  /// How often each upload is tried at most; 1 or more.
  public var attempts: Int
  /// How long one attempt may take; nil: for ever. Zero or less: none is made, and each counts as failed.
  public var attemptDeadline: Duration?
  /// How long the whole job may take; nil: for ever. Zero or less: it has passed, so that nothing is uploaded at all.
  public var deadline: Duration?
  /// The wait after the first attempt, before jitter; each further wait is twice as long.
  public var firstBackoff: Duration
  /// No wait is longer than this.
  public var longestBackoff: Duration
  /// What jitter is drawn from.
  public var seed: UInt64

  /// Three attempts without deadlines, the second after a millisecond: what `resilient` does unless it is told otherwise.
  public init(
    attempts: Int = 3, attemptDeadline: Duration? = nil, deadline: Duration? = nil,
    firstBackoff: Duration = .milliseconds(1), longestBackoff: Duration = .seconds(1), seed: UInt64 = 1
  ) {
    self.attempts = attempts
    self.attemptDeadline = attemptDeadline
    self.deadline = deadline
    self.firstBackoff = firstBackoff
    self.longestBackoff = longestBackoff
    self.seed = seed
  }

  /// The wait after that many attempts (1 or more) at a media file have failed: between half and all of the exponential
  /// wait ("equal jitter"; Brooker, "Exponential Backoff and Jitter", 2015), drawn from the seed.
  public func backoff(afterAttempt attempt: Int, of media: Media) -> Duration {
    var wait = firstBackoff
    for _ in 1..<max(attempt, 1) where wait < longestBackoff { wait = wait * 2 }
    let index = media.index &* 256 &+ attempt
    return min(wait, longestBackoff)
      * (0.5 + SeededGenerator.unit(SeededGenerator.value(seed: seed, index: index)) / 2)
  }

  /// Whether another attempt may succeed where one ended with this error.
  public static func isTransient(_ error: any Error) -> Bool {
    switch error {
    case let failure as UploadFailure: failure.isTransient
    case is AttemptTimedOut: true
    default: false
    }
  }
}
