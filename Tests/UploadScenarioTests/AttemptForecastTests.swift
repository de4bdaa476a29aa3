import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct AttemptForecastTests {
  /// Two media whose uploads take 10 ms on the latency service, tried twice with a wait of 50 to 100 ms in between.
  private func ending(_ change: (inout Scenario) -> Void) throws -> UploadScenario.Expectation.Ending {
    var scenario = Scenario(name: "s", pattern: .resilient, service: .latency, photos: 2)
    scenario.latency = .fixed(nanoseconds: 10_000_000)
    scenario.retry = RetryPolicy(attempts: 2, firstBackoff: .milliseconds(100))
    change(&scenario)
    let post = Post.synthetic(photos: 2, videos: 0, payloadBytes: 8, seed: 1)
    return try UploadScenario.Expectation(scenario: scenario, post: post).ending
  }

  @Test func `an attempt beyond its deadline fails like any other`() throws {
    #expect(try ending { $0.retry.attemptDeadline = .milliseconds(20) } == .publication)
    #expect(try ending { $0.retry.attemptDeadline = .milliseconds(5) } == .failure)
    #expect(try ending { $0.retry.attemptDeadline = .zero } == .failure)
  }

  @Test func `the deadline covers attempts, waits and the post`() throws {
    let once = Faults(failAt: 0, kind: .transient, failingAttempts: 1)
    #expect(try ending { $0.retry.deadline = .milliseconds(25) } == .publication)
    #expect(try ending { $0.retry.deadline = .milliseconds(15) } == .deadline)
    #expect(
      try ending {
        $0.retry.deadline = .milliseconds(50)
        $0.faults = once
      } == .deadline)
    #expect(
      try ending {
        $0.retry.deadline = .milliseconds(200)
        $0.faults = once
      } == .publication)
  }

  @Test func `the first failure or deadline ends the job`() throws {
    // Refused after 10 ms, before the deadline; with attempts that pass, after it.
    #expect(
      try ending {
        $0.retry.deadline = .milliseconds(15)
        $0.faults = Faults(failAt: 1)
      } == .failure)
    #expect(
      try ending {
        $0.retry.deadline = .milliseconds(15)
        $0.faults = Faults(failAt: 1, kind: .transient)
      } == .deadline)
    #expect(
      try ending {
        $0.retry.deadline = .seconds(3_600)
        $0.faults = Faults(failAt: 1, kind: .silence)
      } == .deadline)
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
    var scenario = Scenario(name: "s", pattern: .resilient, service: .latency, photos: 2)
    scenario.latency = .fixed(nanoseconds: 10_000_000)
    scenario.retry.attemptDeadline = attempt
    scenario.retry.deadline = whole
    let post = Post.synthetic(photos: 2, videos: 0, payloadBytes: 8, seed: 1)
    let chance = scenario.chance(for: post)?.reason
    #expect(reason.map { chance?.hasPrefix($0) == true } ?? (chance == nil), "\(chance ?? "certain")")
  }
}
