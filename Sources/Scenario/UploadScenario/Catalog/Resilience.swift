extension Catalog {
  /// What do hedges and further attempts cost where some uploads are late or fail?
  public static let resilience: [Scenario] = [
    {
      // One upload in ten is a straggler, which the other mirror overtakes.
      var scenario = Scenario(
        name: name(.race, .latency, 100), pattern: .race, service: .latency, fanOut: 100)
      scenario.latency = .straggler(nanoseconds: 1_000_000, every: 10, factor: 10)
      scenario.hedgeDelay = .milliseconds(2)
      return scenario
    }(),
    {
      // Of a hundred uploads some eight take a second attempt, and perhaps one a third.
      var scenario = Scenario(
        name: name(.resilient, .latency, 100), pattern: .resilient, service: .latency, fanOut: 100)
      scenario.retry = RetryPolicy(
        attempts: 5, attemptDeadline: .milliseconds(500), deadline: .seconds(5))
      scenario.faults = Faults(failureRate: 0.08, kind: .transient, seed: 1)
      return scenario
    }(),
  ]
}
