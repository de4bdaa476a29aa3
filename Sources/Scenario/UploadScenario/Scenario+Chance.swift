extension Scenario {
  /// Why nobody can say how it ends: a deadline that lies where the service's own times do. nil if it is certain.
  ///
  /// Timers are late, on a busy machine by milliseconds; a deadline decides for sure only what takes far longer, or far
  /// less. Contenders keep their promises either way, but what they are held against would be a guess.
  public func chance(for post: Post) -> InvalidScenario? {
    guard pattern == .resilient else { return nil }
    let forecast = AttemptForecast(scenario: self, post: post)
    let least = Self.farAbove(forecast.slowestAnswer)
    if let deadline = retry.attemptDeadline, deadline > .zero, deadline < least {
      return InvalidScenario(
        reason: "an attempt deadline of \(deadline) leaves it to chance whether an answer comes in time: "
          + "give \(least) or more, or 0")
    }
    let enough = Self.farAbove(forecast.whole)
    if let deadline = retry.deadline, deadline > .zero, deadline < enough,
      Self.farAbove(deadline) > forecast.whole
    {
      return InvalidScenario(
        reason: "a deadline of \(deadline) leaves it to chance whether the job ends in time: "
          + "give \(enough) or more, or 0")
    }
    return nil
  }

  private static func farAbove(_ time: Duration) -> Duration { time * 2 + .milliseconds(20) }
}
