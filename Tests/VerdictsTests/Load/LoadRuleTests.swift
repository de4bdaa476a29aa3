import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct LoadRuleTests {
  private typealias Machine = SyntheticLoad.Machine

  private func verdict(_ window: LoadWindow, _ objective: LatencyObjective? = SyntheticLoad.objective)
    -> LoadVerdict?
  { LoadRule(objective: objective).verdict(of: window) }

  @Test func `posts in time are sustained`() {
    #expect(verdict(SyntheticLoad.window()) == .held)
    #expect(verdict(SyntheticLoad.window(), nil) == .held)
  }

  @Test func `one post in a hundred may be late`() {
    #expect(verdict(SyntheticLoad.window { $0 % 100 == 0 ? 20_000_000 : 1_000_000 }) == .held)
    let missed = SyntheticLoad.window { $0 % 90 == 0 ? 20_000_000 : 1_000_000 }
    #expect(verdict(missed) == .missed)
    #expect(verdict(missed, nil) == .held)
    #expect(verdict(missed, LatencyObjective(percentile: nil, nanoseconds: 20_000_000)) == .held)
    #expect(verdict(missed, LatencyObjective(percentile: nil, nanoseconds: 19_999_999)) == .missed)
  }

  @Test func `too few posts give no percentile`() {
    #expect(verdict(SyntheticLoad.window(perSecond: 100)) == nil)
    #expect(verdict(SyntheticLoad.window(perSecond: 100), nil) == .held)
  }

  @Test(arguments: [(150_000_000, LoadVerdict.held), (160_000_000, .saturated)] as [(UInt64, LoadVerdict)])
  func `a twentieth of the window may pile up`(drainNanoseconds: UInt64, expected: LoadVerdict) {
    #expect(verdict(SyntheticLoad.window(drainNanoseconds: drainNanoseconds)) == expected)
  }

  /// A service that takes long to answer is not slow to be done.
  @Test func `a long service time is no backlog`() {
    let window = SyntheticLoad.window(drainNanoseconds: 900_000_000) { _ in 850_000_000 }
    #expect(verdict(window, nil) == .held)
  }

  @Test func `a full window and a given-up post are saturation`() {
    var window = SyntheticLoad.window()
    window.isFull = true
    #expect(verdict(window) == .saturated)
    window.isFull = false
    window.posts.givenUp = 1
    #expect(verdict(window) == .saturated)
  }

  @Test(
    arguments: [
      (0.2, 0.75, 0, .machineLimit), (0.2, 0, 0.75, .machineLimit), (0.2, 0.5, 0, .missed),
      (0.95, 0.05, 0, .missed),
    ] as [(Double, Double, Double, LoadVerdict)])
  func `busy other processes are the machine's limit`(
    process: Double, others: Double, steal: Double, expected: LoadVerdict
  ) {
    let window = SyntheticLoad.window(
      machine: Machine(process: process, others: others, steal: steal)
    ) { _ in 50_000_000 }
    #expect(verdict(window) == expected)
  }

  @Test func `a rate sustained beside busy processes is sustained`() {
    #expect(verdict(SyntheticLoad.window(machine: Machine(others: 0.8))) == .held)
  }

  @Test func `a late generator is no miss, unless the contender was busy`() {
    let late = { (process: Double) in
      SyntheticLoad.window(latenessNanoseconds: 1_100_000, machine: Machine(process: process)) { _ in
        50_000_000
      }
    }
    #expect(verdict(late(0.2)) == .generatorLate)
    #expect(verdict(late(0.9)) == .missed)
    // A tenth of the time that is asked for is late, too.
    let strict = LatencyObjective(percentile: .p99, nanoseconds: 1_000_000)
    #expect(
      verdict(SyntheticLoad.window(latenessNanoseconds: 110_000) { _ in 2_000_000 }, strict) == .generatorLate
    )
  }

  @Test func `unknown readings excuse nothing`() {
    var window = SyntheticLoad.window(machine: Machine(others: 0.8)) { _ in 50_000_000 }
    window.busyNanoseconds = nil
    #expect(verdict(window) == .missed)
  }

  @Test func `a failed window has no verdict`() {
    var window = SyntheticLoad.window()
    window.outcome = .wrong
    #expect(verdict(window) == nil)
  }
}

@Suite(.ownThread) struct TailPercentileTests {
  @Test(
    arguments: [(.p50, 20), (.p90, 100), (.p99, 1_000), (.p999, 10_000), (.p9999, 100_000)]
      as [(TailPercentile, Int)])
  func `a percentile needs ten numbers beyond it`(percentile: TailPercentile, fewest: Int) {
    #expect(percentile.fewestNumbers == fewest)
    var histogram = LogHistogram()
    for value in 1..<UInt64(fewest) { histogram.add(value) }
    #expect(percentile.value(of: histogram) == nil)
    histogram.add(UInt64(fewest))
    #expect(percentile.value(of: histogram) != nil)
  }
}

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

  @Test func `the distribution has every post that counts`() throws {
    for row in SyntheticLoad.analysis.summaries {
      let buckets = SyntheticLoad.analysis.latencies.filter { $0.contender == row.subject.contender }
      #expect(buckets.reduce(0) { $0 + $1.posts } == row.posts)
    }
  }
}
