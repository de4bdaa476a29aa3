import TestSupport
import Statistics
import Testing

@Suite(.ownThread) struct RankBootstrapTests {
  private func turns(_ signsByCluster: [[[Int]]]) -> [RankBootstrap.Turn] {
    signsByCluster.enumerated().flatMap { cluster, turns in
      turns.map { RankBootstrap.Turn(cluster: cluster, signs: $0) }
    }
  }

  private func first(_ turns: [RankBootstrap.Turn], resamples: Int = 4_000, seed: UInt64 = 1) -> Double {
    RankBootstrap(items: 2, turns: turns, resamples: resamples, seed: seed).probabilities[0][0]
  }

  @Test func `turns are drawn within a cluster`() {
    // Six of nine for the first item: it wins if five of nine draws do. scipy.stats.binom.sf(4, 9, 2/3)
    let turns = turns([[[Int]](repeating: [-1], count: 6) + [[Int]](repeating: [1], count: 3)])
    #expect(abs(first(turns) - 0.8552) < 0.02)
  }

  @Test func `items that nothing separates share their ranks`() {
    let ties = RankBootstrap(items: 3, turns: turns([[[0, 0, -1]]]), resamples: 10, seed: 1).probabilities
    // Only the second is before the third.
    #expect(ties == [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]])
    // Each is before one other: a circle.
    let circle = RankBootstrap(items: 3, turns: turns([[[-1, 1, -1]]]), resamples: 10, seed: 1).probabilities
    #expect(circle.flatMap(\.self).allSatisfy { isClose($0, 1 / 3) })
  }

  @Test func `every rank and every item has probability one`() {
    var numbers = SeededNumbers(seed: 4)
    let turns = (0..<30).map { turn in
      RankBootstrap.Turn(cluster: turn / 6, signs: (0..<10).map { _ in Int(numbers.normal().rounded()) })
    }
    let probabilities = RankBootstrap(items: 5, turns: turns, resamples: 500, seed: 1).probabilities
    for index in 0..<5 {
      #expect(isClose(probabilities[index].reduce(0, +), 1, tolerance: 1e-9))
      #expect(isClose(probabilities.map { $0[index] }.reduce(0, +), 1, tolerance: 1e-9))
    }
  }

  @Test func `the seed decides everything`() {
    let turns = turns([[[-1], [-1], [1], [1], [-1]], [[1], [-1], [-1]]])
    #expect(first(turns, resamples: 100) == first(turns, resamples: 100))
    #expect(first(turns, resamples: 100) != first(turns, resamples: 100, seed: 2))
  }

  /// Two equal items, six clusters that differ by 5 %, and four turns each that differ by 10 %: how often one is first with at least
  /// 95 %. The chance is 10 %; without draws of clusters it would be 19 %.
  @Test func `a nearly certain rank is rarely wrong`() {
    var numbers = SeededNumbers(seed: 8)
    let repetitions = 400
    let claims = (0..<repetitions).count { _ in
      let turns = (0..<6).flatMap { cluster in
        let process = 0.05 * numbers.normal()
        return (0..<4).map { _ in
          RankBootstrap.Turn(cluster: cluster, signs: [process + 0.1 * numbers.normal() > 0 ? 1 : -1])
        }
      }
      let first = first(turns, resamples: 200)
      return first >= 0.95 || first <= 0.05
    }
    #expect(Double(claims) / Double(repetitions) < 0.13)
  }
}
