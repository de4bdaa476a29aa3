import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct RetryPolicyTests {
  static let media = Post.synthetic(photos: 40, videos: 0, payloadBytes: 8, seed: 7).media
  static let policy = RetryPolicy(firstBackoff: .milliseconds(8), longestBackoff: .milliseconds(20), seed: 3)

  @Test(arguments: [(1, 8), (2, 16), (3, 20), (50, 20)] as [(Int, Int)])
  func `waits grow to the longest, with a jitter of a half`(_ attempt: Int, _ whole: Int) {
    let waits = Self.media.map { Self.policy.backoff(afterAttempt: attempt, of: $0) }
    #expect(waits.allSatisfy { $0 >= .milliseconds(whole) / 2 && $0 <= .milliseconds(whole) })
    #expect(Set(waits).count > 30)
  }

  @Test func `the seed decides the waits`() {
    func wait(_ policy: RetryPolicy) -> Duration { policy.backoff(afterAttempt: 2, of: Self.media[3]) }
    var other = Self.policy
    #expect(wait(other) == wait(Self.policy))
    other.seed = 4
    #expect(wait(other) != wait(Self.policy))
  }

  @Test func `only transient errors are retried`() {
    #expect(RetryPolicy.isTransient(UploadFailure(mediaIndex: 0, reason: "", isTransient: true)))
    #expect(RetryPolicy.isTransient(AttemptTimedOut(mediaIndex: 0)))
    #expect(!RetryPolicy.isTransient(UploadFailure(mediaIndex: 0, reason: "")))
    #expect(!RetryPolicy.isTransient(DeadlineExceeded()))
    #expect(!RetryPolicy.isTransient(CancellationError()))
  }

  typealias Ending = UploadScenario.Expectation.Ending

  /// Two uploads that take 10 ms on the latency service, tried twice with a wait of 50 to 100 ms in between.
  private var scenario: Scenario {
    Scenario(name: "s", pattern: .resilient, service: .latency, photos: 2) {
      $0.latency = .fixed(nanoseconds: 10_000_000)
      $0.retry = RetryPolicy(attempts: 2, firstBackoff: .milliseconds(100))
    }
  }
  private let post = Post.synthetic(photos: 2, videos: 0, payloadBytes: 8, seed: 1)

  static let once = Faults(failAt: 0, kind: .transient, failingAttempts: 1)

  @Test(
    arguments: [
      // An attempt beyond its deadline fails like any other.
      (.milliseconds(20), nil, Faults(), .publication), (.milliseconds(5), nil, Faults(), .failure),
      (.zero, nil, Faults(), .failure),
      // The deadline covers attempts, waits and the post.
      (nil, .milliseconds(25), Faults(), .publication), (nil, .milliseconds(15), Faults(), .deadline),
      (nil, .milliseconds(50), once, .deadline), (nil, .milliseconds(200), once, .publication),
      // The first failure or deadline ends the job: a refusal comes after 10 ms, the last attempt's failure later.
      (nil, .milliseconds(15), Faults(failAt: 1), .failure),
      (nil, .milliseconds(15), Faults(failAt: 1, kind: .transient), .deadline),
      (nil, .seconds(3_600), Faults(failAt: 1, kind: .silence), .deadline),
    ] as [(Duration?, Duration?, Faults, Ending)])
  func `faults and deadlines decide how a job ends`(
    attempt: Duration?, whole: Duration?, faults: Faults, ending: Ending
  ) throws {
    var scenario = scenario
    (scenario.retry.attemptDeadline, scenario.retry.deadline, scenario.faults) = (attempt, whole, faults)
    #expect(try UploadScenario.Expectation(scenario: scenario, post: post).ending == ending)
  }

  @Test(
    arguments: [
      (.milliseconds(30), nil, "an attempt deadline of 0.03 seconds"), (.milliseconds(40), nil, nil),
      (.zero, nil, nil), (nil, .milliseconds(25), "a deadline of 0.025 seconds"),
      (nil, .milliseconds(60), nil), (nil, .zero, nil),
    ] as [(Duration?, Duration?, String?)])
  func `a deadline among the service's own times is left to chance`(
    attempt: Duration?, whole: Duration?, reason: String?
  ) {
    let scenario = Scenario(name: "s", pattern: .resilient, service: .latency, photos: 2) {
      $0.latency = .fixed(nanoseconds: 10_000_000)
      ($0.retry.attemptDeadline, $0.retry.deadline) = (attempt, whole)
    }
    let chance = scenario.chance(for: post)?.reason
    #expect(reason.map { chance?.hasPrefix($0) == true } ?? (chance == nil), "\(chance ?? "certain")")
  }
}
