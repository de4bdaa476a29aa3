import Foundation
import Results
import Statistics

extension CrossoverRecord {
  /// Where pairs of contenders change places, in the order of the contenders.
  static func all(_ times: SeriesTimes, run: String) -> [CrossoverRecord] {
    times.contenders.indices.flatMap { first in
      times.contenders.indices.dropFirst(first + 1).flatMap { all(times, first, $0, run: run) }
    }
  }

  /// Between neighbours among the widths at which the two are distinguishable, where their order changes.
  private static func all(_ times: SeriesTimes, _ first: Int, _ second: Int, run: String)
    -> [CrossoverRecord]
  {
    let other = Set(times.measuredWidths(of: second))
    let common = times.measuredWidths(of: first).filter(other.contains)
    let decided = common.filter { width in
      let interval = times.interval(of: first, and: second, at: [width]) { $0[0].time / $1[0].time }
      return interval.map { !$0.contains(1) } ?? false
    }
    return zip(decided, decided.dropFirst()).compactMap { below, above in
      let between = common.filter { (below...above).contains($0) }
      let one = times.points(of: first, at: between)
      let other = times.points(of: second, at: between)
      let isCheaperBelow = one[0].time < other[0].time
      guard isCheaperBelow != (one[one.count - 1].time < other[other.count - 1].time) else { return nil }
      // Between neighbours a decade apart the two ways to draw a curve differ more than the draws do.
      let estimates = Crossing.allCases.compactMap { $0.width(one, other) }
      let intervals = Crossing.allCases.compactMap { crossing in
        times.interval(of: first, and: second, at: between) { crossing.width($0, $1) ?? nearest($0, $1) }
      }
      guard let low = intervals.map(\.lowerBound).min(), let high = intervals.map(\.upperBound).max(),
        estimates.count == Crossing.allCases.count
      else { return nil }
      let estimate = estimates.map { log($0) }.reduce(0, +) / Double(estimates.count)
      let (before, after) = isCheaperBelow ? (first, second) : (second, first)
      return CrossoverRecord {
        $0.run = run
        $0.series = times.series.name
        $0.cheaperBelow = times.contenders[before]
        $0.cheaperAbove = times.contenders[after]
        $0.fanOut = exp(estimate)
        $0.fanOutLow = min(low, exp(estimate))
        $0.fanOutHigh = max(high, exp(estimate))
        $0.provedBelowFanOut = times.fanOut(below)
        $0.provedAboveFanOut = times.fanOut(above)
        $0.machine = times.series.machine
      }
    }
  }

  /// Where a draw in which they keep their order comes nearest: beyond the end at which they are closer.
  private static func nearest(_ one: [WidthTime], _ other: [WidthTime]) -> Double {
    let ends = [0, one.count - 1].map {
      (width: one[$0].width, distance: abs(log(one[$0].time / other[$0].time)))
    }
    return ends[0].distance < ends[1].distance ? ends[0].width : ends[1].width
  }
}
