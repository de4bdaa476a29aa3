import Foundation
import Results
import UploadScenario

package struct LoadPlan: Sendable {
  package var contenders: [String]
  package var scenarios: [Scenario]
  package var schedule = ArrivalSchedule.poisson
  /// The seed of the posts' start times and of the contenders' order.
  package var seed: UInt64 = 1
  /// The maximum number of posts (jobs of uploads) in flight; `nil` means ``LoadRequest/mostPosts(of:)``.
  package var mostPosts: Int?
  /// How long a new process gets load before its first measurement.
  package var warmUpNanoseconds: UInt64 = 1_000_000_000
  /// The contenders of each scenario, by the scenario's name. A scenario without an entry has all contenders.
  package var participants: [String: [String]] = [:]

  package init(contenders: [String], scenarios: [Scenario], configure: (inout LoadPlan) -> Void = { _ in }) {
    self.contenders = contenders
    self.scenarios = scenarios
    configure(&self)
  }

  package func contenders(of scenario: Scenario) -> [String] { participants[scenario.name] ?? contenders }
}

package struct LoadOffer: Sendable, Hashable {
  /// The number of posts (jobs of uploads) that start per second, above zero. With random start times, the mean.
  package var postsPerSecond: Double
  /// The time during which posts (jobs of uploads) start. Posts that are in flight at its end may still end afterwards.
  package var windowNanoseconds: UInt64

  package init(postsPerSecond: Double, windowNanoseconds: UInt64) {
    self.postsPerSecond = postsPerSecond
    self.windowNanoseconds = windowNanoseconds
  }
}

package struct TakenWindow: Sendable {
  package var cell: CellKey
  package var offer: LoadOffer
  /// The number of the round, from 0. All contenders of a round have the same start times.
  package var round: Int
  /// The contender's position in the order of the round, from 0.
  package var position: Int
  package var reply: LoadReading
}

/// How start times of posts (jobs of uploads) are spaced, no matter whether earlier posts have ended.
package enum ArrivalSchedule: String, Sendable, Hashable, Codable, CaseIterable {
  case poisson
  case fixed

  /// All start times in increasing order, in nanoseconds since the start of the measurement. Equal seeds give equal times.
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
      // Each time is a product, since a running sum would accumulate rounding errors.
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
  /// The seed of the start times, which is the same for all contenders.
  package var seed: UInt64 = 1
  /// The maximum number of posts (jobs of uploads) in flight: one more ends the measurement. `nil` means ``mostPosts(of:)``.
  package var mostPosts: Int?

  /// The number of posts that fit into a few hundred MiB: 10 000, or fewer if a post has more than a hundred uploads.
  package static func mostPosts(of scenario: Scenario) -> Int {
    max(10, min(10_000, 1_000_000 / max(1, scenario.requestCount)))
  }

  /// The time that posts in flight have to end after the last start. Then they are cancelled.
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
