import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct CrossoverTests {
  private func crossovers(_ samples: [Sample]) -> [CrossoverRecord] {
    SyntheticGrowth.analysis(samples).growth.crossovers
  }

  /// 90·N and 20 000 + 50·N meet at 500.
  @Test func `a crossover is found with an interval`() throws {
    let found = crossovers(
      SyntheticGrowth.cells("callbacks") { 90 * $0 } + SyntheticGrowth.cells("futures") { 20_000 + 50 * $0 })
    let crossover = try #require(found.first)
    #expect(found.count == 1)
    #expect(crossover.cheaperBelow == "callbacks" && crossover.cheaperAbove == "futures")
    #expect(crossover.provedBelowFanOut == 100 && crossover.provedAboveFanOut == 1_000)
    #expect(crossover.fanOutLow > 100 && crossover.fanOutHigh < 1_000)
    #expect((crossover.fanOutLow...crossover.fanOutHigh).contains(crossover.fanOut))
    #expect((crossover.fanOutLow...crossover.fanOutHigh).contains(500))
  }

  /// 300·N and N² meet at 300.
  @Test func `the crossover of two powers lies within its interval`() throws {
    let crossover = try #require(
      crossovers(
        SyntheticGrowth.cells("callbacks", fanOuts: [1, 10, 100, 1_000]) { 300 * $0 }
          + SyntheticGrowth.cells("futures", fanOuts: [1, 10, 100, 1_000]) { $0 * $0 }
      ).first)
    #expect((crossover.fanOutLow...crossover.fanOutHigh).contains(300))
    #expect(crossover.cheaperBelow == "futures")
  }

  @Test func `an undecided fan-out lies within the interval`() throws {
    let found = crossovers(
      SyntheticGrowth.cells("callbacks") { 90 * $0 } + SyntheticGrowth.cells("futures") { 40_000 + 50 * $0 })
    let crossover = try #require(found.first)
    #expect(crossover.provedBelowFanOut == 100 && crossover.provedAboveFanOut == 10_000)
    #expect((crossover.fanOutLow...crossover.fanOutHigh).contains(1_000))
  }

  @Test func `indistinguishable contenders never cross`() {
    for seed in UInt64(1)...5 {
      let samples = ["callbacks", "futures"].flatMap {
        SyntheticGrowth.cells($0, jitter: 0.05, seed: seed) { 90 * $0 }
      }
      #expect(crossovers(samples).isEmpty, "seed \(seed)")
    }
  }

  @Test func `too few processes prove no crossover`() {
    let samples =
      SyntheticGrowth.cells("callbacks", generations: 2, rounds: 20) { 90 * $0 }
      + SyntheticGrowth.cells("futures", generations: 2, rounds: 20) { 20_000 + 50 * $0 }
    #expect(crossovers(samples).isEmpty)
  }
}
