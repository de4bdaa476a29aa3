import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct RunAnalysisTests {
  private func analysis(_ samples: [Sample], reference: String = "callbacks") -> RunAnalysis {
    RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: reference))
  }

  private func cell(_ contender: String, _ scenario: String = "publish-100", in analysis: RunAnalysis) throws
    -> CellReport
  {
    try #require(
      analysis.scenarios.first { $0.name == scenario }?.cells.first { $0.summary.contender == contender })
  }

  @Test func `known factors lie within their intervals`() throws {
    let analysis = SyntheticRun.analysis
    for (contender, factor) in [("coroutines", 1.5), ("gcd-groups", 2), ("swift-concurrency", 40)] {
      let summary = try cell(contender, in: analysis).summary
      let low = try #require(summary.ratioLow)
      let high = try #require(summary.ratioHigh)
      #expect(low <= factor && factor <= high, "\(contender): \(low)…\(high)")
      // A round's disturbance of ±30 % is gone: pairs share it.
      #expect(high / low < 1.08)
      let overhead = try #require(summary.overheadNanosecondsPerUpload)
      #expect(abs(overhead / ((factor - 1) * 1_000) - 1) < 0.2)
    }
  }

  @Test func `the reference has ratio 1 and no overhead`() throws {
    let reference = try cell("callbacks", in: SyntheticRun.analysis)
    #expect(reference.standing == .reference)
    #expect(reference.summary.ratio == 1)
    #expect(reference.summary.overheadNanosecondsPerUpload == 0)
    #expect(reference.summary.ratioLow == nil)
  }

  @Test func `indistinguishable contenders share a rank`() {
    let ranks = SyntheticRun.analysis.scenarios[0].cells.map { [$0.summary.contender: $0.summary.rankGroup] }
    #expect(
      ranks == [
        ["callbacks": 1], ["coroutines": 2], ["gcd-groups": 3], ["futures": 3], ["swift-concurrency": 4],
        ["operations": nil],
      ])
  }

  @Test(arguments: [Outcome.wrong, .failed, .timedOut], [nil, DropReason.warmUp])
  func `one bad sample excludes a contender from ranks and ratios`(outcome: Outcome, dropped: DropReason?)
    throws
  {
    var bad = SyntheticRun.cell("futures", factor: 0.5)
    bad[3].outcome = outcome
    bad[3].reason = "media 2 is missing"
    bad[3].dropped = dropped
    let analysis = analysis(SyntheticRun.cell("callbacks", factor: 1) + bad)
    let futures = try cell("futures", in: analysis)
    #expect(futures.summary.outcome == outcome)
    #expect(futures.summary.rankGroup == nil)
    #expect(futures.summary.ratio == nil)
    #expect(futures.summary.reference == nil)
    #expect(
      futures.reasons == [CellReport.Reason(outcome: outcome, text: "media 2 is missing", samples: 1)])
    #expect(analysis.failed == [futures])
    // The others are ranked as if it were not there.
    #expect(try cell("callbacks", in: analysis).summary.rankGroup == 1)
  }

  @Test func `a cell has its worst outcome`() throws {
    var samples = SyntheticRun.cell("callbacks", factor: 1)
    for (index, outcome) in [Outcome.timedOut, .wrong, .failed].enumerated() {
      samples[index].outcome = outcome
      samples[index].reason = "because"
    }
    #expect(try cell("callbacks", in: analysis(samples)).summary.outcome == .wrong)
  }

  @Test func `without a reference there are ranks but no ratios`() throws {
    var reference = SyntheticRun.cell("callbacks", factor: 1)
    reference[2].outcome = .failed
    reference[2].reason = "boom"
    let rest = SyntheticRun.cell("futures", factor: 1) + SyntheticRun.cell("operations", factor: 3)
    for analysis in [analysis(reference + rest), analysis(rest)] {
      let futures = try cell("futures", in: analysis)
      #expect(futures.standing == .notCompared)
      #expect(futures.summary.ratio == nil && futures.summary.overheadNanosecondsPerUpload == nil)
      #expect(futures.summary.rankGroup == 1)
      #expect(try cell("operations", in: analysis).summary.rankGroup == 2)
    }
  }

  @Test(arguments: [2, 3, 4])
  func `few rounds give no interval and no verdict`(rounds: Int) throws {
    let analysis = analysis(
      SyntheticRun.cell("callbacks", factor: 1, rounds: rounds)
        + SyntheticRun.cell("futures", factor: 50, rounds: rounds))
    let futures = try cell("futures", in: analysis)
    #expect(futures.comparison?.verdict == .unresolved)
    #expect(futures.comparison?.pairs == rounds - 1)
    #expect(futures.summary.verdict == .unresolved && futures.summary.roundsToResolve == 6)
    #expect(futures.summary.ratioLow == nil && futures.summary.ratioHigh == nil)
    #expect(futures.summary.medianLowNanoseconds == nil && futures.summary.p90Nanoseconds == nil)
    #expect(futures.summary.rankGroup == 1)
  }

  @Test func `a cell of dropped samples has no number`() throws {
    let analysis = analysis(
      SyntheticRun.cell("callbacks", factor: 1) + SyntheticRun.cell("futures", factor: 1, rounds: 1))
    let summary = try cell("futures", in: analysis).summary
    var expected = CellSummary()
    expected.run = "r"
    expected.contender = "futures"
    expected.scenario = "publish-100"
    expected.pattern = "publish"
    expected.service = "instant"
    expected.fanOut = 100
    expected.payloadBytes = 65_536
    expected.dropped = 1
    expected.disturbedRounds = 1
    expected.outcome = .measured
    #expect(summary == expected)
  }

  @Test func `dropped samples and missing cells are counted`() throws {
    let analysis = SyntheticRun.analysis
    #expect(analysis.sampleCount == SyntheticRun.samples.count)
    #expect(analysis.droppedSamples == [.warmUp: 21, .disturbed: 17])
    let summary = try cell("coroutines", in: analysis).summary
    #expect((summary.samples, summary.dropped) == (12, 2))
    #expect(
      analysis.missing.map(\.description) == [
        "swift-concurrency × fail-100", "operations × fail-100", "swift-concurrency × cancel-100",
        "operations × cancel-100", "futures × block-64", "swift-concurrency × block-64",
        "operations × block-64", "swift-concurrency × empty", "operations × empty",
      ])
  }

  @Test func `planned cells that never ran are missing`() {
    let planned = CellKey(contender: "futures", scenario: "never")
    let analysis = RunAnalysis(
      run: "r", samples: SyntheticRun.cell("callbacks", factor: 1),
      options: AnalysisOptions(reference: "callbacks") {
        $0.plannedCells = [planned, CellKey(contender: "callbacks", scenario: "publish-100")]
      })
    #expect(analysis.missing == [planned])
  }

  @Test func `without samples there are no scenarios`() {
    let analysis = analysis([])
    #expect(analysis.scenarios.isEmpty && analysis.summaries.isEmpty && analysis.failed.isEmpty)
    #expect(!analysis.document().text().isEmpty)
  }

  @Test func `the order of samples does not matter`() throws {
    // Reversed per cell; scenarios and contenders keep their first appearance.
    let samples = SyntheticRun.cell("callbacks", factor: 1) + SyntheticRun.cell("futures", factor: 1.2)
    let reversed =
      SyntheticRun.cell("callbacks", factor: 1).reversed()
      + SyntheticRun.cell("futures", factor: 1.2).reversed()
    #expect(analysis(samples) == analysis(Array(reversed)))
  }

  @Test func `every summary can be written`() throws {
    #expect(try CSVText.text(SyntheticRun.analysis.summaries).split(separator: "\n").count == 22)
  }

  @Test func `the first sample of a process is the cold one`() throws {
    let samples = SyntheticRun.cell("callbacks", factor: 1, generations: 3)
    let cold = try cell("callbacks", in: analysis(samples)).coldNanoseconds
    let expected = samples.filter { $0.round == 0 }.compactMap(\.wallNanoseconds).sorted()[1]
    #expect(cold == Double(expected))
  }

  @Test(arguments: [(1, true), (5, true), (6, false)])
  func `few generations are a warning`(generations: Int, isWarned: Bool) {
    let analysis = analysis(
      SyntheticRun.cell("callbacks", factor: 1, generations: generations)
        + SyntheticRun.cell("futures", factor: 2, generations: generations))
    #expect(analysis.generations == generations)
    #expect(ReportNotes.leftOut(analysis, ReportContext()).contains { $0.hasPrefix("Only ") } == isWarned)
  }

  /// Families of 6 equal contenders: at most 5 % may have any that is faster or slower, plus three standard errors.
  @Test func `equal contenders are rarely distinguished`() {
    let families = Effort.count(100, thorough: 300)
    let falseAlarms = (0..<families).count { repetition in
      let samples = (0..<6).flatMap { contender in
        SyntheticRun.cell("c\(contender)-\(repetition)", "s\(repetition)", factor: 1, rounds: 20)
      }
      let analysis = RunAnalysis(
        run: "r", samples: samples,
        options: AnalysisOptions(reference: "c0-\(repetition)") { $0.rankResamples = 1 })
      return analysis.summaries.contains { $0.verdict == .faster || $0.verdict == .slower }
    }
    let bound = 0.05 + 3 * (0.05 * 0.95 / Double(families)).squareRoot()
    #expect(Double(falseAlarms) / Double(families) <= bound)
  }
}
