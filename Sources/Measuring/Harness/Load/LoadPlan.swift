import Foundation
import Results
import UploadScenario

/// Who is offered what, and how.
package struct LoadPlan: Sendable {
  package var contenders: [String]
  package var scenarios: [Scenario]
  /// How arrivals are spread over a window.
  package var schedule = ArrivalSchedule.poisson
  /// What the moments of arrival, and the order of the contenders, are drawn from.
  package var seed: UInt64 = 1
  /// As in ``LoadRequest``; nil: what it makes of the scenario.
  package var mostPosts: Int?
  /// A fresh process takes a window of this length first, which is not recorded.
  package var warmUpNanoseconds: UInt64 = 1_000_000_000
  /// The contenders that take part, by scenario name; a scenario that is not listed has all of them.
  package var participants: [String: [String]] = [:]

  /// Nothing is checked; `participants` must name contenders of the plan.
  package init(contenders: [String], scenarios: [Scenario], configure: (inout LoadPlan) -> Void = { _ in }) {
    self.contenders = contenders
    self.scenarios = scenarios
    configure(&self)
  }

  package func contenders(of scenario: Scenario) -> [String] { participants[scenario.name] ?? contenders }
}

/// How much to offer, and for how long.
package struct LoadOffer: Sendable, Hashable {
  /// The rate of arrivals, above zero; on average where the schedule is random.
  package var postsPerSecond: Double
  /// How long posts arrive. What is under way then is waited for beyond it.
  package var windowNanoseconds: UInt64

  package init(postsPerSecond: Double, windowNanoseconds: UInt64) {
    self.postsPerSecond = postsPerSecond
    self.windowNanoseconds = windowNanoseconds
  }
}

package struct TakenWindow: Sendable {
  package var cell: CellKey
  package var offer: LoadOffer
  /// Which pass over all cells, from 0; its moments of arrival were the same for all of them.
  package var round: Int
  /// Place in the round's order, from 0.
  package var position: Int
  package var reply: LoadReading
}

/// When posts arrive, whatever becomes of those before.
package enum ArrivalSchedule: String, Sendable, Hashable, Codable, CaseIterable {
  case poisson
  case fixed

  /// The moments of all arrivals, in order, in nanoseconds since the window's begin: the same of the same seed.
  package func offsets(perSecond: Double, withinNanoseconds window: UInt64, seed: UInt64) -> [UInt64] {
    let gap = 1e9 / perSecond
    var generator = SeededGenerator(seed: seed)
    var offsets: [UInt64] = []
    offsets.reserveCapacity(Int(Double(window) / gap * 1.1) + 16)
    var moment = 0.0
    while true {
      switch self {
      // 1 − u keeps the logarithm finite.
      case .poisson: moment -= gap * log(1 - generator.nextUnit())
      // A product: a sum would drift.
      case .fixed: moment = Double(offsets.count) * gap
      }
      guard moment < Double(window) else { return offsets }
      offsets.append(UInt64(moment))
    }
  }
}

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
