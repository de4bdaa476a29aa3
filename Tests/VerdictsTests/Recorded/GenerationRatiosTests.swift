import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct GenerationRatiosTests {
  private func cell(_ contender: String, _ walls: [[Int?]]) -> CellSamples {
    let samples = walls.enumerated().flatMap { generation, walls in
      walls.enumerated().compactMap { round, wall -> Sample? in
        guard let wall else { return nil }
        var sample = RecordedFixture.samples(scenarios: ["s-1"])[0]
        (sample.generation, sample.round, sample.contender) = (generation, round, contender)
        sample.wallNanoseconds = wall
        return sample
      }
    }
    return CellSamples(key: CellKey(contender: contender, scenario: "s-1"), samples: samples)
  }

  @Test func `a generation is one number, of its fastest samples`() {
    let ratios = GenerationRatios(
      cell("a", [[200, 900, 900, 900], [300, 300]]), to: cell("floor", [[100, 100, 100, 100], [100, 400]]))
    // Disturbance only ever adds time: the fastest quarter counts.
    #expect(ratios.values.map { exp($0).rounded() } == [2, 3])
  }

  @Test func `only rounds that both have count`() {
    let ratios = GenerationRatios(
      cell("a", [[nil, 300], [200, nil]]), to: cell("floor", [[10, 100], [nil, 100]]))
    #expect(ratios.values.map { exp($0).rounded() } == [3])
  }

  @Test func `the variance between processes has a least value`() {
    #expect(GenerationRatios([1, 1, 1]).variance == 0.003 * 0.003)
    #expect(abs(GenerationRatios([1, 2, 3]).variance - 1) < 1e-12)
  }
}
