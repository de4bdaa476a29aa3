/// The probability of each rank for items that are compared in pairs, in many turns, such as the rounds of a run.
///
/// A two-level bootstrap (A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application, 1997, section 3.8). Each draw takes
/// clusters with replacement, and from each drawn cluster as many turns as the cluster has. Of two items, the one that is smaller in more
/// drawn turns wins. Items with equally many defeats share their ranks. The results are deterministic for a seed.
public struct RankBootstrap: Sendable, Hashable {
  /// One comparison of all items with each other, such as in one round.
  public struct Turn: Sendable, Hashable {
    /// The cluster of the turn. Turns of one cluster are correlated, so they are not independent evidence.
    public var cluster: Int
    /// A number for each pair of items, (0, 1), (0, 2), …, (1, 2), …: above 0 if the first took longer, below 0 if the second did.
    public var signs: [Int]

    public init(cluster: Int, signs: [Int]) {
      self.cluster = cluster
      self.signs = signs
    }
  }

  /// The probabilities by item, then by rank. Every row and every column adds up to 1.
  public let probabilities: [[Double]]

  /// - Parameters:
  ///   - turns: the comparisons. Their order affects only the random draws.
  ///   - resamples: the number of draws. The standard error of a probability is at most 1 ÷ (2 √resamples).
  public init(items: Int, turns: [Turn], resamples: Int, seed: UInt64) {
    precondition(items > 0 && resamples > 0, "items and resamples must be at least 1")
    let pairs = items * (items - 1) / 2
    precondition(turns.allSatisfy { $0.signs.count == pairs }, "each turn compares every pair")
    let clusters = Dictionary(grouping: turns.indices) { turns[$0].cluster }
      .sorted { $0.key < $1.key }.map(\.value)
    // One SIMD vector holds the signs of eight pairs, which are added together.
    let parts = (pairs + 7) / 8
    var signs = [SIMD8<Int32>](repeating: .zero, count: turns.count * parts)
    for (turn, values) in turns.enumerated() {
      for (pair, sign) in values.signs.enumerated() { signs[turn * parts + pair / 8][pair % 8] = Int32(sign) }
    }
    var numbers = SeededDraws(seed: seed)
    var ranks = [[Double]](repeating: [Double](repeating: 0, count: items), count: items)
    var sums = [SIMD8<Int32>](repeating: .zero, count: parts)
    for _ in 0..<resamples {
      for part in sums.indices { sums[part] = .zero }
      for _ in clusters.indices {
        let cluster = clusters[numbers.next(below: clusters.count)]
        for _ in cluster {
          let first = cluster[numbers.next(below: cluster.count)] * parts
          for part in sums.indices { sums[part] &+= signs[first + part] }
        }
      }
      Self.count(sums, into: &ranks)
    }
    // Shares such as 1/3 may add up to slightly more than 1.
    probabilities = ranks.map { $0.map { min(1, $0 / Double(resamples)) } }
  }

  private static func count(_ sums: [SIMD8<Int32>], into ranks: inout [[Double]]) {
    var behind = [Int](repeating: 0, count: ranks.count)
    var pair = 0
    for first in ranks.indices {
      for second in first + 1..<ranks.count {
        let sum = sums[pair / 8][pair % 8]
        if sum > 0 { behind[first] += 1 } else if sum < 0 { behind[second] += 1 }
        pair += 1
      }
    }
    for item in ranks.indices {
      let better = behind.count { $0 < behind[item] }
      let equal = behind.count { $0 == behind[item] }
      for rank in better..<better + equal { ranks[item][rank] += 1 / Double(equal) }
    }
  }
}
