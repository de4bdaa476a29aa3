import UploadScenario

/// What the parent asks of a worker: one window of load. One line of JSON on the worker's standard input.
public struct LoadRequest: Codable, Sendable, Hashable {
  /// What each post is.
  public var scenario: Scenario
  /// How arrivals are spread over the window.
  public var schedule: ArrivalSchedule
  /// How many posts arrive in a second.
  public var postsPerSecond: Double
  /// How long posts arrive.
  public var windowNanoseconds: UInt64
  /// What the moments of arrival are drawn from: the same for all contenders.
  public var seed: UInt64
  /// The window ends where so many posts are under way and one more is due.
  public var mostPosts: Int

  /// As many posts under way as ``mostPosts(of:)`` says, unless `mostPosts` does.
  public init(
    scenario: Scenario, schedule: ArrivalSchedule = .poisson, postsPerSecond: Double,
    windowNanoseconds: UInt64, seed: UInt64 = 1, mostPosts: Int? = nil
  ) {
    self.scenario = scenario
    self.schedule = schedule
    self.postsPerSecond = postsPerSecond
    self.windowNanoseconds = windowNanoseconds
    self.seed = seed
    self.mostPosts = mostPosts ?? Self.mostPosts(of: scenario)
  }

  /// What a process of some hundred MiB can hold: 10 000 posts, fewer if they have more than a hundred uploads each.
  public static func mostPosts(of scenario: Scenario) -> Int {
    max(10, min(10_000, 1_000_000 / max(1, scenario.requestCount)))
  }

  /// How long the posts that are under way at the end may take before they are given up.
  func drainNanoseconds(idealNanoseconds: UInt64?) -> UInt64 {
    windowNanoseconds + 2_000_000_000 + 4 * (idealNanoseconds ?? 0)
  }
}
