/// Medians of several sets of values, resampled as if the whole run were repeated.
///
/// A two-level bootstrap (A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application, 1997, section 3.8). Each draw takes
/// clusters (such as worker processes) with replacement, the same for all sets. From each drawn cluster it takes as many turns (such as
/// rounds) as the cluster has, the same for all sets of a group. The results are deterministic for a seed.
public struct MedianBootstrap: Sendable {
  /// Sets of values, such as one for each contender, that were measured in the same turns (rounds).
  public struct Group: Sendable {
    /// The values, indexed by cluster (worker process), then by turn (round), then by set; `nil` where the set has no value.
    public var turns: [[[Double?]]]
    public var setCount: Int

    /// - Parameter turns: the values, indexed as in ``turns``. All groups list the same clusters in the same order; one may have no turns.
    public init(turns: [[[Double?]]], setCount: Int) {
      precondition(
        turns.allSatisfy { $0.allSatisfy { $0.count == setCount } },
        "each turn must have setCount values, nil where a set has none")
      self.turns = turns
      self.setCount = setCount
    }
  }

  /// The medians, indexed by bootstrap draw, then by group, then by set; `nil` where the draw contains no value of the set.
  public let medians: [[[Double?]]]
  private let clusterCount: Int

  public init(_ groups: [Group], resamples: Int, seed: UInt64) {
    let clusterCount = groups.first?.turns.count ?? 0
    precondition(
      groups.allSatisfy { $0.turns.count == clusterCount }, "turns of all groups must list the same clusters")
    var numbers = SeededDraws(seed: seed)
    self.clusterCount = clusterCount
    medians = (0..<(clusterCount > 0 ? resamples : 0)).map { _ in
      let drawn = (0..<clusterCount).map { _ in numbers.next(below: clusterCount) }
      return groups.map { group in
        var values = [[Double]](repeating: [], count: group.setCount)
        for turns in drawn.map({ group.turns[$0] }) {
          for _ in turns.indices {
            let turn = turns[numbers.next(below: turns.count)]
            for set in turn.indices {
              if let value = turn[set] { values[set].append(value) }
            }
          }
        }
        return values.map(Quantiles.median)
      }
    }
  }

  /// The confidence interval of a number that `value` computes from a draw; `nil` if a draw has none, or for fewer than three clusters.
  ///
  /// The expanded percentile interval (T. C. Hesterberg, What Teachers Should Know About the Bootstrap, 2015, section 5.2). With fewer
  /// clusters its quantiles are further out, because the variance of draws from n clusters is too small by the factor (n − 1) ÷ n.
  public func interval(level: Double, of value: ([[Double?]]) -> Double?) -> ClosedRange<Double>? {
    guard clusterCount >= Self.fewestClusters else { return nil }
    let values = medians.compactMap(value)
    guard values.count == medians.count, !values.isEmpty else { return nil }
    let tail = Self.tail(clusters: clusterCount, level: level)
    guard let low = Quantiles.quantile(tail, of: values),
      let high = Quantiles.quantile(1 - tail, of: values)
    else { return nil }
    return low...high
  }

  /// The fewest clusters for an interval. Two clusters do not show how much a third would differ.
  public static let fewestClusters = 3

  static func tail(clusters: Int, level: Double) -> Double {
    let n = Double(clusters)
    let distance =
      StudentT(degreesOfFreedom: n - 1).quantile(twoSided: 1 - level) * (n / (n - 1)).squareRoot()
    return NormalDistribution.upperTail(distance)
  }
}

/// Pseudo-random numbers that are the same on every platform (G. L. Steele and others' SplitMix64, 2014).
struct SeededDraws {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// A random number in 0..<`count`: the high half of a product. The relative error of its probability is at most `count` ÷ 2^64.
  mutating func next(below count: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)).multipliedFullWidth(by: UInt64(count)).high)
  }
}
