import Statistics
import TestSupport
import Testing

@Suite(.ownThread) struct ClusteredMeanTests {
  /// Scenarios with different levels whose processes move all of them alike, and each a little.
  private static func covers(seed: UInt64, clusters: Int, shared: Double, own: Double) -> Bool {
    var generator = SeededNumbers(seed: seed)
    func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + generator.uniform() } }
    let levels = (0..<4).map { 0.3 * Double($0) }
    let moves = (0..<clusters).map { _ in shared * normal() }
    let parts = levels.map { level in
      moves.enumerated().flatMap { cluster, move -> [(cluster: Int, value: Double)] in
        let here = own * normal()
        return (0..<(cluster == 1 ? 3 : 8)).map { _ in (cluster, level + move + here + 0.1 * normal()) }
      }
    }
    let truth = levels.reduce(0, +) / Double(levels.count)
    return ClusteredMean(of: parts, level: 0.95, fewestClusters: 4)?.interval?.contains(truth) ?? false
  }

  /// Moves that scenarios share, that they do not share, and none.
  @Test(arguments: [(0.1, 0.0), (0.0, 0.1), (0.05, 0.05), (0.0, 0.0)])
  func `an interval of six clusters covers the truth as often as it says`(shared: Double, own: Double) {
    let covered = (1...400).count { Self.covers(seed: UInt64($0), clusters: 6, shared: shared, own: own) }
    // 380 of 400 are expected; fewer than 365 happen by chance once in a thousand.
    #expect(covered >= 365, "\(covered) of 400")
  }

  @Test func `of fewer clusters than differ for certain the values alone count`() throws {
    let parts = [[(0, 1.0), (0, 1.1), (1, 0.9), (1, 1.0)]]
    let few = try #require(ClusteredMean(of: parts, level: 0.95, fewestClusters: 4))
    let values = try #require(TrimmedMean(of: parts[0].map(\.1)))
    #expect(few.mean == values.mean && few.interval == values.interval(level: 0.95))
  }

  @Test func `one value has no interval, and none no mean`() {
    #expect(ClusteredMean(of: [[(0, 2.0)]], level: 0.95, fewestClusters: 4)?.mean == 2)
    #expect(ClusteredMean(of: [[(0, 2.0)]], level: 0.95, fewestClusters: 4)?.interval == nil)
    let none: [[(cluster: Int, value: Double)]] = [[]]
    #expect(ClusteredMean(of: none, level: 0.95, fewestClusters: 4) == nil)
  }
}
