import Foundation
import Results
import UploadScenario

package struct LoadPlan: Sendable {
  package var contenders: [String]
  package var scenarios: [Scenario]
  package var schedule = ArrivalSchedule.poisson
  /// The seed of the arrivals and of the contenders' order.
  package var seed: UInt64 = 1
  /// The maximum number of posts in flight, as in ``LoadRequest``.
  package var mostPosts: Int?
  /// The length of a new process's first window, which is not recorded.
  package var warmUpNanoseconds: UInt64 = 1_000_000_000
  /// The contenders of each scenario, by its name. A scenario that is not listed has all contenders.
  package var participants: [String: [String]] = [:]

  /// Creates a plan without checking it. `participants` must name contenders of the plan.
  package init(contenders: [String], scenarios: [Scenario], configure: (inout LoadPlan) -> Void = { _ in }) {
    self.contenders = contenders
    self.scenarios = scenarios
    configure(&self)
  }

  package func contenders(of scenario: Scenario) -> [String] { participants[scenario.name] ?? contenders }
}

package struct LoadOffer: Sendable, Hashable {
  /// The number of posts that arrive per second, above zero. For a random schedule, the mean.
  package var postsPerSecond: Double
  /// The time during which posts arrive. Posts still in flight then end after it.
  package var windowNanoseconds: UInt64

  package init(postsPerSecond: Double, windowNanoseconds: UInt64) {
    self.postsPerSecond = postsPerSecond
    self.windowNanoseconds = windowNanoseconds
  }
}

package struct TakenWindow: Sendable {
  package var cell: CellKey
  package var offer: LoadOffer
  /// The number of the pass over all cells, from 0. All cells of a round have the same arrivals.
  package var round: Int
  /// The cell's position in the order of the round, from 0.
  package var position: Int
  package var reply: LoadReading
}

/// The schedule by which posts arrive, whether or not earlier posts have ended.
package enum ArrivalSchedule: String, Sendable, Hashable, Codable, CaseIterable {
  case poisson
  case fixed

  /// The times of all arrivals, in order, in nanoseconds since the start of the window. Equal seeds give equal times.
  package func offsets(perSecond: Double, withinNanoseconds window: UInt64, seed: UInt64) -> [UInt64] {
    let gap = 1e9 / perSecond
    var generator = SeededGenerator(seed: seed)
    var offsets: [UInt64] = []
    offsets.reserveCapacity(Int(Double(window) / gap * 1.1) + 16)
    var moment = 0.0
    while true {
      switch self {
      // 1 − u is never 0, so the logarithm is finite.
      case .poisson: moment -= gap * log(1 - generator.nextUnit())
      // The time is a product, since a sum would accumulate rounding errors.
      case .fixed: moment = Double(offsets.count) * gap
      }
      guard moment < Double(window) else { return offsets }
      offsets.append(UInt64(moment))
    }
  }
}

package struct LoadRequest: WorkerRequest {
  package typealias Reply = LoadReading

  package var scenario: Scenario
  package var schedule = ArrivalSchedule.poisson
  package var postsPerSecond: Double
  package var windowNanoseconds: UInt64
  /// The seed of the arrivals, the same for all contenders.
  package var seed: UInt64 = 1
  /// The maximum number of posts in flight. The window ends if one more is due. `nil` means ``mostPosts(of:)``.
  package var mostPosts: Int?

  /// The number of posts that fit into a few hundred MiB: 10 000, or fewer if they have more than a hundred uploads each.
  package static func mostPosts(of scenario: Scenario) -> Int {
    max(10, min(10_000, 1_000_000 / max(1, scenario.requestCount)))
  }

  /// The time that posts in flight at the window's end may take before they are cancelled.
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
