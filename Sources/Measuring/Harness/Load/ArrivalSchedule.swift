import Foundation
import UploadScenario

/// When posts arrive, whatever becomes of those before.
public enum ArrivalSchedule: String, Sendable, Hashable, Codable, CaseIterable {
  /// Independently of one another, as from many users: the gaps are exponential.
  case poisson
  /// Evenly.
  case fixed

  /// The moments of all arrivals in a window, in nanoseconds since its begin, in order.
  ///
  /// - Parameters:
  ///   - perSecond: how many there are in a second, on average for `poisson`; above zero.
  ///   - window: how long posts arrive, in nanoseconds.
  ///   - seed: the same one gives the same moments.
  public func offsets(perSecond: Double, withinNanoseconds window: UInt64, seed: UInt64) -> [UInt64] {
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
