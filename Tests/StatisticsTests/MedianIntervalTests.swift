import TestSupport
import Testing

@testable import Statistics

@Suite(.ownThread) struct MedianIntervalTests {
  /// Expected: ranks and coverage by scipy.stats.binom.
  @Test(arguments: [
    (0.9, 5, 1, 0.9375), (0.95, 6, 1, 0.96875), (0.95, 9, 2, 0.9609375), (0.95, 12, 3, 0.96142578125),
    (0.95, 20, 6, 0.9586105346679688), (0.95, 100, 40, 0.9647997997822951), (0.99, 8, 1, 0.9921875),
    (0.99, 40, 12, 0.9935734239043086), (0.999, 25, 5, 0.9990894794464111),
  ])
  func `the interval runs between binomial ranks`(level: Double, count: Int, rank: Int, coverage: Double)
    throws
  {
    let values = (1...count).map(Double.init).reversed()
    let interval = try #require(MedianInterval(of: Array(values), level: level))
    #expect(interval.low == Double(rank))
    #expect(interval.high == Double(count + 1 - rank))
    #expect(isClose(interval.coverage, coverage, tolerance: 1e-10))
  }

  @Test(arguments: [(0.9, 5), (0.95, 6), (0.99, 8), (0.999, 11)])
  func `too few values have no interval`(level: Double, smallest: Int) {
    #expect(MedianInterval.smallestCount(level: level) == smallest)
    let values = (1...smallest).map(Double.init)
    #expect(MedianInterval(of: values, level: level) != nil)
    #expect(MedianInterval(of: values.dropLast(), level: level) == nil)
    #expect(MedianInterval(of: [], level: level) == nil)
  }

  @Test func `ties keep their place among the order statistics`() throws {
    let interval = try #require(MedianInterval(of: [0, 0, 0, 0, 0, 0, 0, 5, 6], level: 0.95))
    #expect((interval.low, interval.high) == (0, 5))
  }

  /// 4 000 intervals of skewed values: coverage at least 95 %, less three standard errors of the simulation.
  @Test(arguments: [6, 9, 15, 40], [false, true])
  func `simulated intervals cover the median as often as they promise`(count: Int, isCoarse: Bool) throws {
    var numbers = SeededNumbers(seed: 42)
    let repetitions = 4_000
    var covered = 0
    var promised = 0.0
    for _ in 0..<repetitions {
      let values = (0..<count).map { _ in
        let value = numbers.normal()
        let skewed = value > 0 ? value * 5 : value
        return isCoarse ? skewed.rounded() : skewed
      }
      let interval = try #require(MedianInterval(of: values, level: 0.95))
      if interval.low <= 0, 0 <= interval.high { covered += 1 }
      promised = interval.coverage
    }
    let share = Double(covered) / Double(repetitions)
    let threeErrors = 3 * (promised * (1 - promised) / Double(repetitions)).squareRoot()
    #expect(promised >= 0.95)
    #expect(share >= promised - threeErrors)
    // Without ties the coverage is exact, so too wide an interval is a fault as well.
    if !isCoarse { #expect(share <= promised + threeErrors) }
  }
}
