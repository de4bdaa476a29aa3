import Results
import Statistics

/// The probability of each rank in one scenario, by resampling generations and then their rounds.
struct RankResampling {
  /// Cells that may not be ranked are left out.
  let probabilities: [CellKey: RankProbabilities]

  private static let seed: UInt64 = 1
  /// Draws from fewer turns than a single interval takes are all alike, and look certain.
  private static let fewestTurns = MedianInterval.smallestCount(level: 0.95)

  init(cells: [Cell], resamples: Int) {
    let ranked = cells.filter(\.isRankable)
    let turns = Set(ranked.flatMap(\.wallNanosecondsByTurn.keys)).sorted()
    guard !ranked.isEmpty, turns.count >= Self.fewestTurns, resamples > 0 else {
      probabilities = [:]
      return
    }
    var clusters: [[String]: Int] = [:]
    let compared = turns.map { turn in
      let cluster = clusters[[turn.run, String(turn.generation)], default: clusters.count]
      clusters[[turn.run, String(turn.generation)]] = cluster
      return RankBootstrap.Turn(cluster: cluster, signs: Self.signs(of: ranked, turn))
    }
    let bootstrap = RankBootstrap(items: ranked.count, turns: compared, resamples: resamples, seed: Self.seed)
    probabilities = Dictionary(
      uniqueKeysWithValues: zip(ranked.map(\.key), bootstrap.probabilities.map(RankProbabilities.init)))
  }

  /// Whether the first of each pair of cells took longer in a turn (1), the second (−1), or neither (0).
  private static func signs(of cells: [Cell], _ turn: RoundKey) -> [Int] {
    let walls = cells.map { $0.wallNanosecondsByTurn[turn] ?? [] }
    return walls.indices.flatMap { first in
      walls.indices.dropFirst(first + 1).map { second in
        zip(walls[first], walls[second]).reduce(0) { $0 + ($1.0 > $1.1 ? 1 : $1.0 < $1.1 ? -1 : 0) }
      }
    }
  }
}
