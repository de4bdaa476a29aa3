import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct ExactCountTests {
  private let allocations = CountedQuantity.allocations

  /// A cell whose passes, one a generation, counted so many allocations in so many posts.
  private func cell(_ passes: [(total: Int, posts: Int)]) -> CellSamples {
    let samples = passes.enumerated().map { generation, pass in
      var sample = RecordedFixture.samples(scenarios: ["s-1"])[0]
      (sample.generation, sample.iterations, sample.allocations) = (generation, pass.posts, pass.total)
      return sample
    }
    return CellSamples(key: CellKey(contender: "floor", scenario: "s-1"), samples: samples)
  }

  @Test(
    arguments: [
      ([(1_000, 10), (1_000, 10)], 100),
      // Another run repeats the post more often; the count of one is the same.
      ([(2_000, 20), (1_000, 10)], 100),
      ([(1_000, 10), (1_001, 10)], nil), ([(1_001, 10), (1_001, 10)], nil), ([(1_000, 10)], nil),
      // Two single posts are no proof.
      ([(100, 1), (100, 1)], nil), ([], nil),
    ] as [([(Int, Int)], Int?)])
  func `a count is exact if all passes of enough posts agree`(passes: [(Int, Int)], perPost: Int?) {
    let cell = passes.isEmpty ? cell([(0, 1)]) : cell(passes.map { ($0.0, $0.1) })
    #expect(ExactCount(allocations, of: cell)?.perPost == perPost)
  }

  @Test(
    arguments: [
      (100, .unchanged, "100"), (101, .regressed, "100 -> 101, +1"),
      (99, .improved, "100 -> 99, -1"),
    ] as [(Int, CheckRow.State, String)])
  func `any difference of an exact count decides`(count: Int, state: CheckRow.State, change: String) throws {
    var contenders = RecordedFixture.contenders
    contenders[2].allocations = count
    let comparison = try RecordedFixture.comparison(
      RecordedFixture.run("now", RecordedFixture.samples(contenders, seed: 2)))
    let rows = comparison.scenarios.flatMap(\.counts)
    #expect(rows.count == 12)
    for row in rows {
      #expect(row.state == (row.key.contender == "c" ? state : .unchanged))
      #expect(row.quantity == "allocations per post")
      if row.key.contender == "c" { #expect(row.change == change) }
    }
    let report = CheckReport(comparison, isGate: true)
    #expect(report.verdict == (state == .regressed ? .regressed : .passed))
    #expect(report.headline.hasPrefix("9 cells against base: 9 unchanged. 12 counts: "))
  }

  @Test func `a varying count decides nothing and is described`() throws {
    let varying = RecordedFixture.samples(seed: 2).changing { sample in
      if sample.generation == 1 { sample.allocations = sample.allocations.map { $0 + 1 } }
    }
    let comparison = try RecordedFixture.comparison(RecordedFixture.run("now", varying))
    #expect(comparison.scenarios.allSatisfy { $0.counts.isEmpty })
    #expect(comparison.varyingCounts.count == 12)
    #expect(
      comparison.reading.last?.hasPrefix(
        "12 counts vary from pass to pass, or were taken of too few iterations")
        == true)
  }

  @Test(
    arguments: [
      // Every pass has at least one more: whether they agree does not matter.
      ([(2_000, 10), (2_005, 10)], .regressed, "100 -> 200 to 201, +100"),
      ([(1_010, 10), (1_011, 10)], .regressed, "100 -> 101 to 102, +1"),
      ([(1_000, 10), (1_011, 10), (1_012, 10)], .inconclusive, "100 -> 100 to 102"),
      // Now and then one more, or too few posts to say.
      ([(1_000, 10), (1_000, 10), (1_011, 10)], nil, ""), ([(999, 10), (998, 10)], nil, ""),
      ([(200, 1)], nil, ""), ([], nil, ""),
    ] as [([(Int, Int)], CheckRow.State?, String)])
  func `a count that is no longer exact is still compared`(
    passes: [(Int, Int)], state: CheckRow.State?, change: String
  ) throws {
    let base = try #require(ExactCount(allocations, of: cell([(1_000, 10), (1_000, 10)])))
    let lost = base.lost(allocations, of: cell(passes.map { ($0.0, $0.1) }))
    #expect(lost?.state == state)
    #expect(lost.map { CheckRow.change(from: 100...100, to: $0.counts) } ?? "" == change)
  }
}
