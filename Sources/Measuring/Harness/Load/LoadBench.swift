import UploadScenario

/// What windows of one scenario need: the slots, and what a post is held against. Made before the first window.
struct LoadBench {
  let scenario: Scenario
  let post: Post
  let slots: [LoadSlot]
  let expectation: Expectation
  let idealNanoseconds: UInt64?

  /// - Parameter mostPosts: how many slots there are.
  init(
    _ scenario: Scenario, mostPosts: Int, clock: LoadClock, makePost: UploadWorker.MakePost,
    makeServices: UploadWorker.MakeServices
  ) throws {
    self.scenario = scenario
    post = try makePost(scenario)
    let ledgers = (0..<mostPosts).map { _ in
      Ledger(requestCount: scenario.requestCount, nanoseconds: clock.nanoseconds)
    }
    let services = try makeServices(scenario, post, ledgers)
    slots = zip(ledgers, services).enumerated().map { index, pair in
      LoadSlot(index: index, ledger: pair.0, service: pair.1, nanoseconds: clock.nanoseconds)
    }
    expectation = try Expectation(scenario: scenario, post: post)
    idealNanoseconds = scenario.idealNanoseconds(for: post)
  }
}
