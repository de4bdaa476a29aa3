import UploadScenario

/// What a contender is asked to do in every schedule, and what may happen to it.
struct Shape: Sendable {
  let scenario: Scenario
  let post: Post
  let expectation: Expectation
  /// How many requests may fail.
  let mostFailures: Int
  let mayCancel: Bool

  init(_ scenario: Scenario, mostFailures: Int, mayCancel: Bool) {
    self.scenario = scenario
    self.mostFailures = mostFailures
    self.mayCancel = mayCancel
    post = .synthetic(photos: scenario.photos, videos: 0, payloadBytes: scenario.payloadBytes, seed: 5)
    // Made-up bytes can always be read.
    expectation = try! Expectation(scenario: scenario, post: post)
  }

  /// Small enough that all schedules can be tried, or nearly all.
  static func small(_ pattern: Pattern) -> [Shape] { shapes(of: pattern, media: 3, limits: [nil, 2]) }

  /// More than can be tried: for random schedules.
  static func large(_ pattern: Pattern) -> [Shape] { shapes(of: pattern, media: 7, limits: [nil, 3]) }

  private static func shapes(of pattern: Pattern, media: Int, limits: [Int?]) -> [Shape] {
    (pattern.takesLimit ? limits : [nil]).map { limit in
      var scenario = Scenario(name: pattern.rawValue, pattern: pattern, photos: media, payloadBytes: 16)
      scenario.limit = limit
      scenario.hedgeDelay = .milliseconds(5)
      scenario.retry = RetryPolicy(attempts: 2, attemptDeadline: .milliseconds(40), deadline: .seconds(1))
      if pattern.isChunked {
        (scenario.photos, scenario.payloadBytes, scenario.chunkBytes) = (1, 8 * media, 8)
        (scenario.bufferCapacity, scenario.uploaders) = (1, 2)
      }
      if pattern.blocksThreads { scenario.service = .blocking }
      let survivesOne = pattern.races || pattern.retries
      return Shape(scenario, mostFailures: survivesOne ? 2 : 1, mayCancel: true)
    }
  }
}
