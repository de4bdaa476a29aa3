import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread) struct RunAnalysisTests {
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
      // Pairs share a round's disturbance of ±30 %.
      #expect(high / low < 1.08)
      let overhead = try #require(summary.overheadNanosecondsPerUpload)
      #expect(abs(overhead / ((factor - 1) * 1_000) - 1) < 0.2)
    }
  }

  /// As in a suite: each name has its own implementations.
  @Test func `each of six scenarios has ratios to its own reference`() throws {
    let names = (1...6).map { "s\($0)" }
    let samples = names.flatMap { name in
      SyntheticRun.cell("\(name)-a", name, factor: 1, rounds: 20, generations: 4)
        + SyntheticRun.cell("\(name)-b", name, factor: 2, rounds: 20, generations: 4)
    }
    let options = AnalysisOptions(reference: "s1-a") {
      $0.references = names.keyed { ($0, "\($0)-a") }
      $0.rankResamples = 0
      $0.plannedCells = []
    }
    let analysis = RunAnalysis(run: "r", samples: samples, options: options)
    for name in names {
      #expect(try cell("\(name)-a", name, in: analysis).standing == .reference)
      let other = try cell("\(name)-b", name, in: analysis)
      #expect(other.summary.reference == "\(name)-a" && other.summary.verdict == .slower)
    }
    #expect(analysis.open == ["Undecided: time 0 and cpu 0 of 6 comparisons."])
    let settled = RunAnalysis.settled(samples, options: options, generations: 4)
    for name in names {
      let cells = ["\(name)-a", "\(name)-b"].map { CellKey(contender: $0, scenario: name) }
      #expect(settled.contains(cells[0]) == settled.contains(cells[1]))
    }
    var environment = EnvironmentRecord()
    environment.scenarios = names.keyed { ($0, ScenarioRecord(definition: [:], contenders: [])) }
    environment.reference = options.reference
    environment.note(options)
    let read = AnalysisOptions(environment, plannedCells: [], sourceLines: [:])
    #expect(read.references == options.references)
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
    let analysis = SyntheticRun.analysed(SyntheticRun.cell("callbacks", factor: 1) + bad)
    let futures = try cell("futures", in: analysis)
    #expect(futures.summary.outcome == outcome)
    #expect(futures.summary.rankGroup == nil)
    #expect(futures.summary.ratio == nil)
    #expect(futures.summary.reference == nil)
    #expect(futures.reasons == [CellReport.Reason(outcome: outcome, text: "media 2 is missing", samples: 1)])
    #expect(analysis.failed == [futures])
    // The others have ranks without it.
    #expect(try cell("callbacks", in: analysis).summary.rankGroup == 1)
  }

  @Test func `a cell has its worst outcome`() throws {
    var samples = SyntheticRun.cell("callbacks", factor: 1)
    for (index, outcome) in [Outcome.timedOut, .wrong, .failed].enumerated() {
      samples[index].outcome = outcome
      samples[index].reason = "because"
    }
    #expect(try cell("callbacks", in: SyntheticRun.analysed(samples)).summary.outcome == .wrong)
  }

  @Test func `without a reference there are ranks but no ratios`() throws {
    var reference = SyntheticRun.cell("callbacks", factor: 1)
    reference[2].outcome = .failed
    reference[2].reason = "boom"
    let rest = SyntheticRun.cell("futures", factor: 1) + SyntheticRun.cell("operations", factor: 3)
    for analysis in [SyntheticRun.analysed(reference + rest), SyntheticRun.analysed(rest)] {
      let futures = try cell("futures", in: analysis)
      #expect(futures.standing == .notCompared)
      #expect(futures.summary.ratio == nil && futures.summary.overheadNanosecondsPerUpload == nil)
      #expect(futures.summary.rankGroup == 1)
      #expect(try cell("operations", in: analysis).summary.rankGroup == 2)
    }
  }

  @Test(arguments: [2, 3, 4])
  func `few rounds give no interval and no verdict`(rounds: Int) throws {
    let analysis = SyntheticRun.analysed(
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
    let analysis = SyntheticRun.analysed(
      SyntheticRun.cell("callbacks", factor: 1) + SyntheticRun.cell("futures", factor: 1, rounds: 1))
    let summary = try cell("futures", in: analysis).summary
    let expected = CellSummary {
      ($0.run, $0.contender, $0.scenario, $0.pattern) = ("r", "futures", "publish-100", "publish")
      ($0.service, $0.fanOut, $0.payloadBytes, $0.dropped) = ("instant", 100, 65_536, 1)
      ($0.disturbedRounds, $0.outcome) = (1, .measured)
    }
    #expect(summary == expected)
  }

  @Test func `the order of samples does not matter`() throws {
    // Scenarios and contenders keep their order.
    let samples = SyntheticRun.cell("callbacks", factor: 1) + SyntheticRun.cell("futures", factor: 1.2)
    let reversed =
      SyntheticRun.cell("callbacks", factor: 1).reversed()
      + SyntheticRun.cell("futures", factor: 1.2).reversed()
    #expect(SyntheticRun.analysed(samples) == SyntheticRun.analysed(Array(reversed)))
  }

  @Test func `the first sample of a process is the cold one`() throws {
    let samples = SyntheticRun.cell("callbacks", factor: 1, generations: 3)
    let cold = try cell("callbacks", in: SyntheticRun.analysed(samples)).coldNanoseconds
    let expected = samples.filter { $0.round == 0 }.compactMap(\.wallNanoseconds).sorted()[1]
    #expect(cold == Double(expected))
  }

  @Test(arguments: [(1, true), (5, true), (6, false)])
  func `few generations are a warning`(generations: Int, isWarned: Bool) {
    let analysis = SyntheticRun.analysed(
      SyntheticRun.cell("callbacks", factor: 1, generations: generations)
        + SyntheticRun.cell("futures", factor: 2, generations: generations))
    #expect(analysis.generations == generations)
    #expect(ReportNotes.leftOut(analysis, ReportContext()).contains { $0.hasPrefix("Only ") } == isWarned)
  }

  /// 5 % of families of 6 equal contenders may have a difference, plus three standard errors.
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

  @Test func `measured samples without a post mean that none was intended`() {
    let without = SyntheticRun.cell("a", factor: 1, posts: 0)
    #expect(ScenarioEnd.inferred(from: without) == .noPost)
    #expect(ScenarioEnd.inferred(from: without + SyntheticRun.cell("b", factor: 1)) == .post)
    // A failed contender creates no post, either.
    #expect(
      ScenarioEnd.inferred(from: SyntheticRun.cell("a", factor: 1, posts: 0, outcome: .failed)) == .post)
  }
}

@Suite(.ownThread) struct ScenarioKeyTests {
  private func samples(_ machine: String?, factor: Double) -> [Sample] {
    (SyntheticRun.cell("floor", factor: 1) + SyntheticRun.cell("a", factor: factor)).changing { sample in
      sample.machine = machine
    }
  }

  private func analysis(_ samples: [Sample]) -> RunAnalysis {
    SyntheticRun.analysed(samples, reference: "floor")
  }

  @Test func `a cell of two machines is judged on each, never mixed`() {
    let both = analysis(samples("m1", factor: 2) + samples("m2", factor: 3))
    #expect(both.scenarios.map(\.place.description) == ["publish-100 @ m1", "publish-100 @ m2"])
    let alone = [2.0, 3].map { analysis(samples("m1", factor: $0)) }
    for (scenario, one) in zip(both.scenarios, alone) {
      let (cell, lonely) = (scenario.cells.last!.summary, one.summaries.last!)
      #expect(cell.ratio == lonely.ratio)
      #expect(cell.medianNanoseconds == lonely.medianNanoseconds)
      #expect(scenario.cells.map(\.comparison?.pairs) == one.scenarios[0].cells.map(\.comparison?.pairs))
    }
    #expect(both.generations == 1)
  }

  @Test func `a reference of another machine does not count`() {
    let lonely =
      samples("m1", factor: 2).filter { $0.contender == "floor" }
      + samples("m2", factor: 2).filter { $0.contender == "a" }
    #expect(analysis(lonely).summaries.allSatisfy { $0.verdict == nil && ($0.ratio ?? 1) == 1 })
  }

  @Test func `a single machine is recorded but not named`() {
    let one = analysis(samples("m1", factor: 2))
    #expect(one.scenarios.map(\.place.description) == ["publish-100"])
    #expect(one.summaries.map(\.machine) == ["m1", "m1"])
    #expect(analysis(samples(nil, factor: 2)).summaries.map(\.machine) == [nil, nil])
  }

  @Test func `a planned cell is missing on its machine`() {
    let planned = ["m1", "m2"].flatMap { machine in
      ["floor", "a"].map { CellKey(contender: $0, scenario: "publish-100", machine: machine) }
    }
    let some = samples("m1", factor: 2) + samples("m2", factor: 2).filter { $0.contender == "floor" }
    let options = AnalysisOptions(reference: "floor") { $0.plannedCells = planned }
    #expect(
      RunAnalysis(run: "r", samples: some, options: options).missing.map(\.description)
        == ["a × publish-100 @ m2"])
    let one = RunAnalysis(run: "r", samples: samples("m1", factor: 2), options: options)
    #expect(one.missing.isEmpty)
  }
}

@Suite(.ownThread) struct ScenarioDisturbanceTests {
  /// A run with this many of 30 rounds disturbed, for all contenders alike.
  private func samples(disturbed: Int, scenario: String = "s") -> [Sample] {
    [("callbacks", 1.0), ("futures", 3), ("operations", 1.0001)].flatMap { contender, factor in
      SyntheticRun.cell(contender, scenario, factor: factor, rounds: 31).changing { sample in
        sample.dropped = sample.round == 0 ? .warmUp : sample.round <= disturbed ? .disturbed : nil
      }
    }
  }

  @Test(arguments: [(0, false), (9, false), (10, true), (26, true), (30, true)])
  func `a scenario that lost too many rounds is marked noisy`(disturbed: Int, isNoisy: Bool) throws {
    let analysis = SyntheticRun.analysed(samples(disturbed: disturbed))
    let scenario = try #require(analysis.scenarios.first)
    #expect(scenario.disturbance.disturbedRounds == disturbed)
    #expect(scenario.disturbance.isNoisy == isNoisy)
    #expect(
      scenario.disturbance.remark
        == (isNoisy ? "noisy: \(NumberText.percent(Double(disturbed) / 30)) of the samples dropped" : nil))
    #expect(scenario.rounds == 30 - disturbed)
    for cell in scenario.cells {
      #expect(cell.summary.disturbedRounds == disturbed)
      guard cell.summary.contender != "callbacks", disturbed < 30 else { continue }
      // Undisturbed rounds were not chosen by their outcome, so enough of them count.
      let isEnough = disturbed <= 24
      let verdict: Verdict = cell.summary.contender == "futures" ? .slower : .equivalent
      #expect(cell.summary.verdict == (isEnough ? verdict : .unresolved))
      #expect((cell.summary.ratioLow != nil) == isEnough)
      #expect(cell.summary.ratio != nil)
      #expect(cell.summary.unresolvedReason == (isEnough ? nil : scenario.disturbance.remark))
    }
  }

  @Test func `every report shows why a cell is unresolved`() throws {
    let analysis = SyntheticRun.analysed(samples(disturbed: 26))
    let reason = "noisy: \(NumberText.percent(26.0 / 30)) of the samples dropped"
    let text = analysis.document().text()
    #expect(text.contains("  \(reason)\n"))
    #expect(text.contains("4 rounds (+ 26 disturbed)"))
    #expect(text.contains("1 scenario noisy:"))
    #expect(analysis.document().markdown.contains("| unresolved: \(reason) |"))
    #expect(try analysis.json().contains("\"unresolved_reason\" : \"\(reason)\""))
    #expect(try CSVText.text(analysis.summaries).contains(",\(reason),26,"))
  }

  private func analysis(_ before: [String: [Int]]) -> RunAnalysis {
    let samples = before.keys.sorted().flatMap { contender in
      SyntheticRun.cell(contender, factor: contender == "floor" ? 1 : 2).enumerated().map { index, sample in
        var sample = sample
        let values = before[contender]!
        sample.postsBefore = values.isEmpty ? nil : values[index % values.count]
        return sample
      }
    }
    return SyntheticRun.analysed(samples, reference: "floor")
  }

  @Test func `earlier posts are a median beside the post's time`() throws {
    let analysis = analysis(["floor": [9_000], "a": [1, 2, 900]])
    #expect(analysis.summaries.map(\.postsBefore) == [9_000, 2])
    let scenario = try #require(analysis.scenarios.first)
    #expect(scenario.timeTitle == "time/post")
    #expect(scenario.timeNanoseconds(scenario.cells[0]) == scenario.cells[0].summary.medianNanoseconds)
    let text = analysis.document().text()
    #expect(text.contains("before") && text.contains("9000"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(analysis.document().markdown.contains("| before |"))
  }
}
