import Foundation
import Statistics
import TestSupport
import Testing

@Suite(.ownThread) struct TrimmedMeanTests {
  /// By hand: two of twenty values are trimmed at either end; winsorised, they count as their neighbours.
  @Test func `the trimmed mean is the mean of the remaining values`() throws {
    let values = [-1_000, -900] + (1...16).map(Double.init) + [900, 1_000]
    let trimmed = try #require(TrimmedMean(of: values.shuffled()))
    #expect(trimmed.mean == 8.5)
    #expect(trimmed.degreesOfFreedom == 15)
    let winsorised = [1, 1] + (1...16).map(Double.init) + [16, 16]
    let squares = winsorised.reduce(0) { $0 + ($1 - 8.5) * ($1 - 8.5) }
    #expect(isClose(trimmed.standardError, (squares / (16 * 15)).squareRoot()))
  }

  /// Student's sleep data (Biometrika 1908, differences of ten patients), in R: t = 4.0621, p = 0.002833, 95 % from 0.7001 to 2.4599.
  @Test func `without trimming the test is Student's`() throws {
    let sleep = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4]
    let plain = try #require(TrimmedMean(of: sleep, trimmedShare: 0))
    #expect(abs(plain.mean / plain.standardError - 4.0621) < 1e-4)
    #expect(abs(plain.twoSidedPValue() - 0.002833) < 1e-6)
    let interval = plain.interval(level: 0.95)
    #expect(abs(interval.lowerBound - 0.7001142) < 1e-6 && abs(interval.upperBound - 2.4598858) < 1e-6)
  }

  @Test func `tests and intervals agree`() throws {
    var numbers = SeededNumbers(seed: 8)
    for _ in 0..<200 {
      let trimmed = try #require(TrimmedMean(of: (0..<15).map { _ in 0.03 + 0.05 * numbers.normal() }))
      for level in [0.9, 0.99] {
        let interval = trimmed.interval(level: level)
        #expect(interval.contains(0) == (trimmed.twoSidedPValue() >= 1 - level))
        let isWithin = -0.05 < interval.lowerBound && interval.upperBound < 0.05
        #expect(isWithin == (trimmed.equivalencePValue(margin: 0.05) < (1 - level) / 2))
      }
    }
  }

  @Test func `values that are all the same are certain`() throws {
    let one = try #require(TrimmedMean(of: [0.2, 0.2, 0.2]))
    #expect(one.twoSidedPValue() == 0 && one.twoSidedPValue(against: 0.2) == 1)
    #expect(one.interval(level: 0.95) == 0.2...0.2)
    #expect(TrimmedMean(of: [1]) == nil)
  }

  /// By hand: clusters of 3 and 1 values, whose difference has one degree of freedom.
  @Test func `clusters that differ widen the interval`() throws {
    let clusters: [[Double]] = [[0, 2, 4], [6]]
    let mean = try #require(TrimmedMean(of: clusters.flatMap(\.self)))
    let within = mean.standardError * mean.standardError * 4
    let beyond = (3 * 1 + 9 - within) / (4 - 10 / 4.0)
    let error = (within / 4 + beyond * 10 / 16).squareRoot()
    let interval = mean.interval(level: 0.95, clusters: clusters)
    #expect(isClose(interval.upperBound - 3, error * 12.706204736174698))
    #expect(mean.interval(level: 0.95, clusters: [[0, 6], [2, 4]]) == mean.interval(level: 0.95))
  }

  @Test func `a straggler in a small cluster is no difference between clusters`() throws {
    var numbers = SeededNumbers(seed: 9)
    let large = (0..<2).map { _ in (0..<22).map { _ in 0.01 * numbers.normal() } }
    let clusters = large + [[-0.8, 0], [0, 0.01]]
    let mean = try #require(TrimmedMean(of: clusters.flatMap(\.self)))
    let interval = mean.interval(level: 0.95, clusters: clusters)
    #expect(interval.upperBound - interval.lowerBound < 0.02)
  }

  /// The table of Documentation/Judging.md: 24 values that differ by 10 % between rounds and by 5 % between processes; how often the
  /// 95 % interval misses the truth.
  @Test(arguments: [(1, 24, 0.43), (3, 8, 0.2), (6, 4, 0.12), (12, 2, 0.07), (24, 1, 0.05)])
  func `values of one process make the interval too narrow`(processes: Int, rounds: Int, expected: Double)
    throws
  {
    var numbers = SeededNumbers(seed: 11)
    let runs = 4_000
    let misses = try (0..<runs).count { _ in
      let values = (0..<processes).flatMap { _ in
        let process = 0.05 * numbers.normal()
        return (0..<rounds).map { _ in process + 0.1 * numbers.normal() }
      }
      return !(try #require(TrimmedMean(of: values)).interval(level: 0.95).contains(0))
    }
    #expect(abs(Double(misses) / Double(runs) - expected) < 0.02)
  }

  /// Equal contenders with the tails of real rounds: a twentieth of the values is ten times as far off.
  @Test(arguments: [10, 13, 30])
  func `heavy tails raise no more alarms than promised`(count: Int) throws {
    var numbers = SeededNumbers(seed: 3)
    let runs = Effort.count(2_000, thorough: 20_000)
    let alarms = (0..<runs).count { _ in
      let values = (0..<count).map { _ in numbers.normal() * (numbers.uniform() < 0.05 ? 10 : 1) }
      return TrimmedMean(of: values)!.twoSidedPValue() < 0.05
    }
    let bound = 0.05 + 3 * (0.05 * 0.95 / Double(runs)).squareRoot()
    #expect(Double(alarms) / Double(runs) < bound, "\(alarms) of \(runs)")
  }
}
