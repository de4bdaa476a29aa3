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

  /// The wait after that many failed attempts (1 or more): between half and all of the exponential wait ("equal jitter"; Brooker,
  /// "Exponential Backoff and Jitter", 2015), drawn from the seed.
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

/// How the uploads of `resilient` go, which is certain: faults, waits and the service's times are data.
struct AttemptForecast: Sendable {
  /// Whether the job takes longer than it may, before anything has failed for good.
  let exceedDeadline: Bool
  /// The uploads, chunks or lookups that the scenario lets fail for good.
  let failing: Set<Int>
  /// How long it takes until something has failed for good, or until the post is created.
  let whole: Duration
  /// The longest that the service takes for an answer.
  let slowestAnswer: Duration
  /// The fewest attempts at each upload of a post that is created.
  let counts: [Int]

  /// How one upload goes.
  private struct Course {
    var attempts: Int
    var time: Duration
    var succeeds: Bool
  }

  init(scenario: Scenario, post: Post) {
    guard scenario.pattern.retries else {
      (exceedDeadline, counts, whole, slowestAnswer) = (false, [], .zero, .zero)
      let survives = scenario.pattern.races && scenario.faults.mirror != nil
      failing =
        survives || scenario.faults.isEmpty
        ? [] : Set((0..<scenario.fanOut).filter { scenario.faults.kind(at: $0) != nil })
      return
    }
    let trace = scenario.service == .latency ? scenario.latencyTrace(for: post) : nil
    let courses = post.media.map { media in
      Self.course(of: scenario, media, answer: .nanoseconds(trace?.uploadNanoseconds[media.index] ?? 0))
    }
    counts = courses.map(\.attempts)
    failing = Set(zip(post.media, courses).filter { !$1.succeeds }.map(\.0.index))
    slowestAnswer = .nanoseconds(trace?.uploadNanoseconds.max() ?? 0)
    let whole =
      courses.filter { !$0.succeeds }.map(\.time).min()
      ?? (courses.map(\.time).max() ?? .zero) + .nanoseconds(trace?.postNanoseconds ?? 0)
    self.whole = whole
    exceedDeadline = scenario.retry.deadline.map { $0 <= .zero || whole > $0 } ?? false
  }

  /// - Parameter answer: how long the service takes for an answer.
  private static func course(of scenario: Scenario, _ media: Media, answer: Duration) -> Course {
    let policy = scenario.retry
    let timeout = policy.attemptDeadline.map { max($0, .zero) }
    var course = Course(attempts: 0, time: .zero, succeeds: false)
    while course.attempts < policy.attempts {
      if course.attempts > 0 { course.time += policy.backoff(afterAttempt: course.attempts, of: media) }
      course.attempts += 1
      let fault = scenario.faults.kind(at: media.index, attempt: course.attempts)
      if fault == .silence || timeout.map({ $0 <= .zero || $0 < answer }) == true {
        // Without a deadline it is waited for until the whole takes too long.
        guard let timeout else { return Course(attempts: course.attempts, time: forEver, succeeds: false) }
        course.time += timeout
        continue
      }
      course.time += answer
      if fault == .transient { continue }
      course.succeeds = fault == nil
      return course
    }
    return course
  }

  private static let forEver = Duration.seconds(31_536_000)
}
