import Foundation
import TestSupport
import Testing

@testable import Statistics

@Suite(.ownThread) struct MedianBootstrapTests {
  private func group(_ clusters: [[Double]]) -> MedianBootstrap.Group {
    MedianBootstrap.Group(turns: clusters.map { $0.map { [$0] } }, setCount: 1)
  }

  @Test func `the same seed draws the same`() {
    let groups = [group([[1, 2, 3], [4, 5, 6], [2, 8, 1]])]
    let one = MedianBootstrap(groups, resamples: 50, seed: 3)
    #expect(one.medians == MedianBootstrap(groups, resamples: 50, seed: 3).medians)
    #expect(one.medians != MedianBootstrap(groups, resamples: 50, seed: 4).medians)
  }

  /// A cluster's level shows in every group at once.
  @Test func `clusters are drawn once for all groups`() {
    let groups = [group([[1, 1], [2, 2], [9, 9]]), group([[10, 10], [20, 20], [90, 90]])]
    for draw in MedianBootstrap(groups, resamples: 100, seed: 1).medians {
      #expect(draw[1][0] == draw[0][0].map { $0 * 10 })
    }
  }

  /// The ratio of values measured side by side never varies, although both do.
  @Test func `sets of one group share their turns`() {
    let turns = (0..<4).map { cluster in
      (0..<5).map { turn -> [Double?] in
        let value = Double(1 + (cluster * 7 + turn * 3) % 11)
        return [value, 2 * value]
      }
    }
    let bootstrap = MedianBootstrap(
      [MedianBootstrap.Group(turns: turns, setCount: 2)], resamples: 200, seed: 1)
    let ratios = bootstrap.medians.map { $0[0][1]! / $0[0][0]! }
    #expect(ratios.allSatisfy { $0 == 2 })
    #expect(Set(bootstrap.medians.map { $0[0][0]! }).count > 3)
  }

  @Test func `a draw without a value says nothing`() {
    let turns: [[[Double?]]] = [[[1, nil]], [[2, nil]], [[3, 4]]]
    let bootstrap = MedianBootstrap(
      [MedianBootstrap.Group(turns: turns, setCount: 2)], resamples: 100, seed: 1)
    #expect(bootstrap.interval(level: 0.95) { $0[0][0] } != nil)
    #expect(bootstrap.interval(level: 0.95) { $0[0][1] } == nil)
  }

  @Test(arguments: [(2, false), (3, true)])
  func `two clusters do not know their spread`(clusters: Int, has: Bool) {
    let bootstrap = MedianBootstrap(
      [group((0..<clusters).map { [Double($0), 5, 6] })], resamples: 100, seed: 1)
    #expect((bootstrap.interval(level: 0.95) { $0[0][0] } != nil) == has)
  }

  /// From tables: t of 2.776, 2.262 and 2.093, each times √(n ÷ (n − 1)), in the normal distribution's tail.
  @Test(arguments: [(5, 0.0010), (10, 0.0086), (20, 0.0159)])
  func `fewer clusters leave out fewer draws`(clusters: Int, share: Double) {
    #expect(abs(MedianBootstrap.tail(clusters: clusters, level: 0.95) - share) < 0.0003)
  }

  /// Six processes with a level of their own, of ten samples each.
  @Test func `intervals cover the truth`() {
    var numbers = SeededNumbers(seed: 5)
    let runs = Effort.count(40, thorough: 200)
    let covered = (0..<runs).count { run in
      let clusters = (0..<6).map { _ -> [Double] in
        let level = numbers.normal() * 0.1
        return (0..<10).map { _ in exp(level + numbers.normal() * 0.1) }
      }
      let bootstrap = MedianBootstrap([group(clusters)], resamples: 400, seed: UInt64(run))
      return bootstrap.interval(level: 0.95) { $0[0][0] }?.contains(1) ?? false
    }
    // 95 % are expected.
    #expect(covered * 200 >= runs * 182)
  }
}
