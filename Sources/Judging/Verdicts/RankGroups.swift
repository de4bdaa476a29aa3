import Results
import Statistics

/// The ranks in one scenario. Contenders share a rank if no comparison of two of them is decided.
struct RankGroups {
  /// The rank of each contender; empty if ranks would contradict the comparisons, such as A ≈ B, B ≈ C, but A < C.
  let group: [CellKey: Int]

  /// - Parameter comparisons: the run's comparisons with the reference. All other pairs are decided here as a separate family.
  init(cells: [CellSamples], comparisons: [CellKey: Comparison], options: AnalysisOptions) {
    let ranked = cells.filter(\.isRankable)
    let pairs = ranked.indices.flatMap { first in
      ranked.indices.filter { $0 > first }.map { Pair(first: first, second: $0) }
    }
    let isReference = ranked.map { $0.key == options.reference(of: $0.key) }
    let others = pairs.filter { !isReference[$0.first] && !isReference[$0.second] }
    let decided = Comparison.family(
      others.map { PairedSamples(candidate: ranked[$0.first], reference: ranked[$0.second]) },
      options: options)

    // The index of the faster contender of each decided pair.
    var faster: [Pair: Int] = [:]
    for (pair, comparison) in zip(others, decided) {
      faster[pair] = Self.faster(comparison.verdict, candidate: pair.first, reference: pair.second)
    }
    for pair in pairs where isReference[pair.first] || isReference[pair.second] {
      let (candidate, reference) =
        isReference[pair.first] ? (pair.second, pair.first) : (pair.first, pair.second)
      guard let comparison = comparisons[ranked[candidate].key] else { continue }
      faster[pair] = Self.faster(comparison.verdict, candidate: candidate, reference: reference)
    }

    // Contenders are ordered by their number of faster rivals, then by the median. The median alone could contradict the comparisons.
    let fasterRivals = ranked.indices.map { index in
      faster.count { ($0.key.first == index || $0.key.second == index) && $0.value != index }
    }
    let medians = ranked.map { Quantiles.median(of: $0.wallNanoseconds) ?? .infinity }
    let order = ranked.indices.ordered { SortKey(numbers: [Double(fasterRivals[$0]), medians[$0]]) }
    func areSeparated(_ one: Int, _ other: Int) -> Bool {
      faster[Pair(first: min(one, other), second: max(one, other))] != nil
    }
    var groups: [[Int]] = []
    for index in order {
      if let last = groups.last?.last, !areSeparated(last, index) {
        groups[groups.count - 1].append(index)
      } else {
        groups.append([index])
      }
    }
    let rank = groups.enumerated().reduce(into: [Int: Int]()) { ranks, group in
      for index in group.element { ranks[index] = group.offset + 1 }
    }
    let isTransitive = pairs.allSatisfy {
      areSeparated($0.first, $0.second) == (rank[$0.first] != rank[$0.second])
    }
    group = isTransitive ? rank.keyed { (ranked[$0].key, $1) } : [:]
  }

  private struct Pair: Hashable {
    let first: Int
    let second: Int
  }

  private static func faster(_ verdict: Verdict, candidate: Int, reference: Int) -> Int? {
    switch verdict {
    case .faster: candidate
    case .slower: reference
    case .equivalent, .unresolved: nil
    }
  }
}

/// The probabilities of each contender's ranks in one scenario, by resampling worker processes and then their rounds.
struct RankResampling {
  let probabilities: [CellKey: RankProbabilities]

  static let seed: UInt64 = 1

  init(cells: [CellSamples], resamples: Int) {
    let ranked = cells.filter(\.isRankable)
    let turns = Set(ranked.flatMap(\.wallNanosecondsByTurn.keys)).sorted()
    // Resampling fewer rounds would give similar values, and falsely certain ranks.
    guard !ranked.isEmpty, turns.count >= Looks.fewestValues, resamples > 0 else {
      probabilities = [:]
      return
    }
    var clusters: [ProcessKey: Int] = [:]
    let compared = turns.map { turn in
      let cluster = clusters[turn.process, default: clusters.count]
      clusters[turn.process] = cluster
      return RankBootstrap.Turn(cluster: cluster, signs: Self.signs(of: ranked, turn))
    }
    let bootstrap = RankBootstrap(items: ranked.count, turns: compared, resamples: resamples, seed: Self.seed)
    probabilities = zip(ranked, bootstrap.probabilities).keyed { ($0.key, RankProbabilities($1)) }
  }

  /// A number for each pair of contenders in a round: 1 if the first took longer, −1 if the second did, otherwise 0.
  private static func signs(of cells: [CellSamples], _ turn: RoundKey) -> [Int] {
    let walls = cells.map { $0.wallNanosecondsByTurn[turn] ?? [] }
    return walls.indices.flatMap { first in
      walls.indices.dropFirst(first + 1).map { second in
        zip(walls[first], walls[second]).reduce(0) { $0 + ($1.0 > $1.1 ? 1 : $1.0 < $1.1 ? -1 : 0) }
      }
    }
  }
}
