import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct AttemptForecastTests {
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
