import Results
import UploadScenario

/// What the parent asks of a worker: one window of load. One line of JSON on the worker's standard input.
package struct LoadRequest: WorkerRequest {
  package typealias Reply = LoadReading

  package var scenario: Scenario
  /// How arrivals are spread over the window.
  package var schedule = ArrivalSchedule.poisson
  package var postsPerSecond: Double
  package var windowNanoseconds: UInt64
  /// What the moments of arrival are drawn from: the same for all contenders.
  package var seed: UInt64 = 1
  /// The window ends where so many posts are under way and one more is due; nil: as many as ``mostPosts(of:)`` says.
  package var mostPosts: Int?

  /// What a process of some hundred MiB can hold: 10 000 posts, fewer if they have more than a hundred uploads each.
  package static func mostPosts(of scenario: Scenario) -> Int {
    max(10, min(10_000, 1_000_000 / max(1, scenario.requestCount)))
  }

  /// How long the posts that are under way at the end may take before they are given up.
  func drainNanoseconds(idealNanoseconds: UInt64?) -> UInt64 {
    windowNanoseconds + 2_000_000_000 + 4 * (idealNanoseconds ?? 0)
  }
}

extension LoadReading: WorkerReply {
  package init(outcome: Outcome, reason: String?) {
    self.init()
    (self.outcome, self.reason) = (outcome, reason)
  }
}
