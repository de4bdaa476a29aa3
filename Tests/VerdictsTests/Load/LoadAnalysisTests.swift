import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct LoadAnalysisTests {
  private func summary(_ contender: String) throws -> LoadSummary {
    try #require(SyntheticLoad.analysis.summaries.first { $0.subject.contender == contender })
  }

  @Test func `windows of a rate are pooled for rare percentiles`() throws {
    let row = try summary("callbacks")
    #expect(row.windows == 4)
    #expect(row.posts == 12_000)
    #expect(row.figures.p999Nanoseconds != nil)
    #expect(row.figures.p9999Nanoseconds == nil)
    // One window alone has too few.
    var window = SyntheticLoad.windows[0]
    window.judge(by: SyntheticLoad.analysis.rule)
    #expect(window.figures.p999Nanoseconds == nil)
    #expect(window.figures.p99Nanoseconds != nil)
  }

  @Test func `a disturbed window is left out`() throws {
    let row = try summary("futures")
    #expect(row.disturbedWindows == 1)
    #expect(row.windows == 3)
    #expect(row.verdict == .held)
    #expect(try #require(row.figures.maxNanoseconds) < 10_000_000)
  }

  @Test func `if most windows are disturbed, the machine is the limit`() throws {
    let windows = (0..<3).map { round in
      SyntheticLoad.window(round: round, machine: .init(others: round > 0 ? 0.8 : 0)) { _ in 50_000_000 }
    }
    let row = LoadAnalysis(run: "made-up", windows, rule: SyntheticLoad.analysis.rule).summaries[0]
    #expect(row.windows == 3)
    #expect(row.disturbedWindows == 2)
    #expect(row.verdict == .machineLimit)
  }

  @Test func `each kind of trouble has its verdict`() throws {
    #expect(try summary("operations").verdict == .missed)
    #expect(try summary("coroutines").verdict == .saturated)
    #expect(try summary("a-name-that-leaves-no-room").verdict == .generatorLate)
    let wrong = try summary("gcd-groups")
    #expect(wrong.outcome == .wrong)
    #expect(wrong.verdict == nil)
    #expect(wrong.figures == LoadFigures())
  }

  @Test func `the achieved rate is that of the ends`() throws {
    // 3 000 posts in three seconds and the one that they took longer.
    let achieved = try #require(try summary("coroutines").figures.achievedPerSecond)
    #expect(abs(achieved - 750) < 1)
    #expect(try #require(try summary("callbacks").figures.achievedPerSecond) == 1_000)
  }

  @Test func `shares are of all processors`() throws {
    let row = try summary("coroutines").figures
    #expect(abs(try #require(row.processShare) - 0.9) < 1e-6)
    #expect(abs(try #require(row.machineShare) - 0.9) < 1e-6)
    #expect(abs(try #require(row.othersShare)) < 1e-6)
  }

  @Test func `the distribution has every post that counts`() throws {
    for row in SyntheticLoad.analysis.summaries {
      let buckets = SyntheticLoad.analysis.latencies.filter { $0.contender == row.subject.contender }
      #expect(buckets.reduce(0) { $0 + $1.posts } == row.posts)
    }
  }

  @Test func `rows are sorted by scenario, rate and contender`() {
    let windows = [("b", 200.0), ("a", 200), ("b", 100), ("a", 100)].map {
      SyntheticLoad.window($0.0, perSecond: $0.1)
    }
    let given = LoadAnalysis(run: "made-up", windows, rule: LoadRule(), contenders: ["a"]).summaries
    #expect(given.map(\.subject.contender) == ["a", "b", "a", "b"])
    let rows = LoadAnalysis(run: "made-up", windows, rule: LoadRule()).summaries
    #expect(
      rows.map { "\($0.subject.contender)\($0.offeredPerSecond)" } == [
        "b100.0", "a100.0", "b200.0", "a200.0",
      ])
  }
}
