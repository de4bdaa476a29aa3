import Results
import UploadScenario

/// What the parent asks of a worker: one window of load. One line of JSON on the worker's standard input.
package struct LoadRequest: WorkerRequest {
  package typealias Reply = LoadReply

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

  /// A little longer than the worker itself waits: the window, its drain, and the timeout of what was given up.
  package func timeout(workSeconds: @autoclosure () -> Int) -> WorkerTimeout {
    WorkerTimeout(
      seconds: 3 * Int(windowNanoseconds / 1_000_000_000) + workSeconds(),
      spareSeconds: Scenario.spareTimeoutSeconds)
  }

  /// How long the posts that are under way at the end may take before they are given up.
  func drainNanoseconds(idealNanoseconds: UInt64?) -> UInt64 {
    windowNanoseconds + 2_000_000_000 + 4 * (idealNanoseconds ?? 0)
  }
}

/// What came of one window: one line of JSON on the worker's standard output.
package struct LoadReply: WorkerReply, Hashable {
  /// Whether its latencies can be ranked.
  package var outcome = Outcome.measured
  /// Why the window cannot be ranked; nil if it was measured.
  package var reason: String?
  /// The posts that were due, to the end of the window or until it ended early.
  package var posts = PostCounts()
  /// Whether as many posts were under way as may be, so that the window ended early.
  package var isFull = false
  package var windowNanoseconds: UInt64 = 0
  /// From the last post's intended start to the end of the last one to end, or until the rest was given up.
  package var drainNanoseconds: UInt64 = 0
  /// The median latency of the posts of the window's first quarter.
  package var earlyLatencyNanoseconds: UInt64?
  /// From the intended start to the completion. A post that was given up counts with the time it had waited.
  package var latencies = LogHistogram()
  /// How much later than intended posts were started by the generator's own fault, not because an earlier start had not returned.
  package var lateness = LogHistogram()
  /// How much later posts were started because an earlier one's start had not returned.
  package var holdUps = LogHistogram()
  /// The least time that a post could take; nil where the service's times are not known before.
  package var idealNanoseconds: UInt64?
  /// What the worker used from the window's begin to its end.
  package var usage = ResourceUsage()
  /// What all processors did meanwhile; nil where the kernel does not say.
  package var processors: ProcessorTime?

}

extension LoadReply {
  package init(outcome: Outcome, reason: String?) { (self.outcome, self.reason) = (outcome, reason) }
}

/// What became of the posts of a window.
package struct PostCounts: Codable, Sendable, Hashable {
  package var due = 0
  package var completed = 0
  package var givenUp = 0
  /// Those that did not end as the scenario has it, or whose ledger says otherwise.
  package var wrong = 0
  package var peakInFlight = 0
}
