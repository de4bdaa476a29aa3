/// The number of attempts at an upload, their time limits and the waits between them, the same for every contender.
public struct RetryPolicy: Sendable, Hashable, Codable {
  /// The largest number of attempts at each upload, at least 1.
  public var attempts: Int
  /// The time limit of one attempt. `nil` means none. If it is zero or less, each attempt fails without a request.
  public var attemptDeadline: Duration?
  /// The time limit of the job. `nil` means none. If it is zero or less, the job fails without an upload.
  public var deadline: Duration?
  /// The wait after the first attempt, before jitter. Each further wait is twice as long.
  public var firstBackoff: Duration
  /// The longest wait, before jitter.
  public var longestBackoff: Duration
  /// The seed of the jitter.
  public var seed: UInt64

  /// Creates a policy. By default there are three attempts without deadlines, and the first wait is a millisecond.
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

  /// The wait after failure `attempt`, from 1: a seeded random part of the exponential wait, at least half of it (Brooker,
  /// "Exponential Backoff and Jitter", 2015, "equal jitter").
  public func backoff(afterAttempt attempt: Int, of media: Media) -> Duration {
    var wait = firstBackoff
    for _ in 1..<max(attempt, 1) where wait < longestBackoff { wait = wait * 2 }
    let index = media.index &* 256 &+ attempt
    return min(wait, longestBackoff)
      * (0.5 + SeededGenerator.unit(SeededGenerator.value(seed: seed, index: index)) / 2)
  }

  /// Whether another attempt may succeed after this error.
  public static func isTransient(_ error: any Error) -> Bool {
    switch error {
    case let failure as UploadFailure: failure.isTransient
    case is AttemptTimedOut: true
    default: false
    }
  }
}

/// A prediction of a job with retries, computed from the scenario's faults, waits and service times.
struct AttemptForecast: Sendable {
  /// Whether the job exceeds its deadline before the last attempt at an upload fails.
  let exceedDeadline: Bool
  let failing: Set<Int>
  /// The time until the last attempt at an upload fails, or until the post is created.
  let whole: Duration
  let slowestAnswer: Duration
  /// The smallest number of attempts at each upload if the post is created.
  let counts: [Int]

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
    let failure = courses.filter { !$0.succeeds }.map(\.time).min()
    let last = courses.map(\.time).max() ?? .zero
    let whole = failure ?? last + .nanoseconds(trace?.postNanoseconds ?? 0)
    self.whole = whole
    exceedDeadline = scenario.retry.deadline.map { $0 <= .zero || whole > $0 } ?? false
  }

  /// - Parameter answer: the time until the service's answer.
  private static func course(of scenario: Scenario, _ media: Media, answer: Duration) -> Course {
    let policy = scenario.retry
    let timeout = policy.attemptDeadline.map { max($0, .zero) }
    var course = Course(attempts: 0, time: .zero, succeeds: false)
    while course.attempts < policy.attempts {
      if course.attempts > 0 { course.time += policy.backoff(afterAttempt: course.attempts, of: media) }
      course.attempts += 1
      let fault = scenario.faults.kind(at: media.index, attempt: course.attempts)
      if fault == .silence || timeout.map({ $0 <= .zero || $0 < answer }) == true {
        // Without an attempt deadline, an unanswered attempt lasts until the job's deadline.
        guard let timeout else { return Course(attempts: course.attempts, time: unlimited, succeeds: false) }
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

  private static let unlimited = Duration.seconds(31_536_000)
}
