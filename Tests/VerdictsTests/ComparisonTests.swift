import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread(minutes: 10)) struct ComparisonTests {
  /// Pairs that alternate around a ratio by a spread.
  private func pairs(ratio: Double, spread: Double = 0.005, count: Int = 24) -> PairedSamples {
    PairedSamples(
      pairs: (0..<count).map { index -> (Double, Double) in
        let off = (index % 2 == 0 ? spread : -spread) * (1 + Double(index) / 100)
        return (1_000 * ratio * (1 + off), 1_000)
      })
  }

  private func decide(_ samples: PairedSamples, margin: Double = 0.05) -> Comparison {
    Comparison.family([samples], options: AnalysisOptions(reference: "r") { $0.equivalenceMargin = margin })[
      0]
  }

  @Test(
    arguments: [
      (1.2, 0.005, .slower, false), (0.8, 0.005, .faster, false), (1, 0.005, .equivalent, true),
      (1.001, 0.02, .equivalent, true), (1, 0.2, .unresolved, false),
      // Proved slower, and by less than the margin.
      (1.02, 0.005, .slower, true), (0.98, 0.005, .faster, true),
      // The margin is as wide down as up, in ratios: from 1 ÷ 1.05.
      (0.955, 0.001, .faster, true), (0.951, 0.001, .faster, false), (1.049, 0.0005, .slower, true),
      (1.051, 0.0005, .slower, false),
    ] as [(Double, Double, Verdict, Bool)])
  func `the verdict is what the pairs prove`(
    ratio: Double, spread: Double, verdict: Verdict, isWithinMargin: Bool
  ) {
    let comparison = decide(pairs(ratio: ratio, spread: spread))
    #expect(comparison.verdict == verdict)
    #expect(comparison.isWithinMargin == isWithinMargin)
    #expect((comparison.roundsToResolve != nil) == (verdict == .unresolved))
  }

  @Test func `the margin is an option`() {
    #expect(decide(pairs(ratio: 1, spread: 0.05), margin: 0.2).verdict == .equivalent)
    #expect(decide(pairs(ratio: 1, spread: 0.05), margin: 0.02).verdict == .unresolved)
  }

  @Test func `few pairs prove no equivalence`() {
    #expect(decide(pairs(ratio: 1, count: 5)).verdict == .unresolved)
    #expect(decide(pairs(ratio: 1, count: 6)).verdict == .equivalent)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `the interval agrees with the verdict`(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    var seen: Set<Verdict> = []
    for _ in 0..<20 {
      let family = (0..<30).map { index in
        let (truth, spread) = ([-0.1, -0.02, 0, 0, 0.02, 0.05][index % 6], [0.01, 0.03, 0.1][index % 3])
        return PairedSamples(pairs: (0..<30).map { _ in (exp(truth + spread * numbers.normal()), 1) })
      }
      for comparison in Comparison.family(family, options: AnalysisOptions(reference: "r")) {
        seen.insert(comparison.verdict)
        guard let interval = comparison.interval else { continue }
        let isInside = 1 / 1.05 < interval.lowerBound && interval.upperBound < 1.05
        switch comparison.verdict {
        case .slower: #expect(interval.lowerBound > 1)
        case .faster: #expect(interval.upperBound < 1)
        case .equivalent: #expect(isInside)
        case .unresolved: break
        }
        // A difference within the margin has its whole interval there.
        if comparison.isWithinMargin == true { #expect(isInside) }
      }
    }
    #expect(seen == Set(Verdict.allCases))
  }

  /// Twelve rounds of each of six processes that differ by more than their rounds do.
  @Test func `an interval covers the differences between processes`() throws {
    var numbers = SeededNumbers(seed: 5)
    func cover(_ processes: Bool) -> Int {
      (0..<300).count { _ in
        let shifts = (0..<6).map { _ in 0.1 * numbers.normal() }
        var samples = PairedSamples(
          pairs: (0..<72).map { (exp(shifts[$0 / 12] + 0.05 * numbers.normal()), 1) })
        if processes {
          samples.processes = (0..<6).map { process in
            (ProcessKey(Sample { $0.generation = process }), pairs: 12)
          }
        }
        return decide(samples).interval?.contains(1) == true
      }
    }
    #expect((275...298).contains(cover(true)))
    #expect(cover(false) < 200)
  }

  /// 20 cells: eight are equal, eight differ by exactly the margin, and four by much.
  @Test func `simulated families rarely have a false verdict`() {
    var numbers = SeededNumbers(seed: 20)
    let margin = log(1.05)
    let truths =
      [Double](repeating: 0, count: 8) + [Double](repeating: margin, count: 4)
      + [Double](repeating: -margin, count: 4) + [1, -1, 0.5, 2]
    let repetitions = Effort.count(200, thorough: 600)
    var either = 0
    for _ in 0..<repetitions {
      let family = Comparison.family(
        truths.map { truth in
          PairedSamples(pairs: (0..<30).map { _ in (exp(truth + 0.04 * numbers.normal()), 1) })
        }, options: AnalysisOptions(reference: "r"))
      let isDifferent = zip(truths, family).contains { truth, comparison in
        comparison.verdict == .slower && truth <= 0 || comparison.verdict == .faster && truth >= 0
      }
      let isEquivalent = zip(truths, family).contains { truth, comparison in
        comparison.isWithinMargin == true && abs(truth) >= margin
      }
      either += isDifferent || isEquivalent ? 1 : 0
    }
    #expect(Double(either) <= 0.05 * Double(repetitions))
    #expect(either > 0)
  }

  /// Of pairs at the quantiles of a logistic distribution: after the estimated rounds most runs are decided, after a third at most
  /// half.
  @Test(arguments: [(0.03, 0.06, 0.001), (-0.02, 0.03, 0.001), (0, 0.07, 0.05), (0.01, 0.07, 0.05)])
  func `the estimated rounds resolve most comparisons`(truth: Double, spread: Double, margin: Double) throws {
    func pairs(_ shares: [Double]) -> PairedSamples {
      PairedSamples(pairs: shares.map { (exp(truth + spread * log($0 / (1 - $0))), 1) })
    }
    var numbers = SeededNumbers(seed: 31)
    func resolved(_ count: Int) -> Int {
      (0..<200).count { _ in
        decide(pairs((0..<count).map { _ in numbers.uniform() }), margin: margin).verdict != .unresolved
      }
    }
    let typical = decide(pairs((0..<21).map { (Double($0) + 0.5) / 21 }), margin: margin)
    let rounds = try #require(typical.roundsToResolve)
    #expect(resolved(rounds) >= 140)
    #expect(resolved(rounds / 3) <= 100)
  }
}

@Suite(.ownThread) struct PairedSamplesTests {
  private func cell(_ contender: String, _ turns: [(generation: Int, round: Int, wall: Int)]) -> CellSamples {
    CellSamples(
      key: CellKey(contender: contender, scenario: "s"),
      samples: SampleSelection(
        turns.map { turn in
          Sample {
            ($0.run, $0.generation, $0.round, $0.position) = ("r", turn.generation, turn.round, 0)
            ($0.contender, $0.scenario, $0.pattern, $0.service) = (contender, "s", "publish", "instant")
            ($0.fanOut, $0.payloadBytes, $0.iterations, $0.outcome) = (1, 1, 1, .measured)
            $0.wallNanoseconds = turn.wall
            $0.dropped = turn.round == 9 ? .disturbed : nil
          }
        }))
  }

  @Test func `only samples of the same generation and round are compared`() {
    let paired = PairedSamples(
      candidate: cell("a", [(0, 1, 20), (0, 2, 30), (1, 1, 40), (1, 3, 50), (0, 9, 1)]),
      reference: cell("b", [(1, 1, 10), (0, 2, 10), (0, 1, 10), (1, 2, 10), (0, 9, 1)]))
    #expect(paired.differencesNanoseconds == [10, 20, 30])
    #expect(paired.logRatios.count == 3)
  }

  @Test func `several samples of a round count as their geometric mean`() {
    let paired = PairedSamples(
      candidate: cell("a", [(0, 1, 30), (0, 2, 40)]),
      reference: cell("b", [(0, 1, 10), (0, 2, 10), (0, 1, 40), (0, 2, 10)]))
    #expect(paired.pairs.map { [$0.candidate, $0.reference.rounded()] } == [[30, 20], [40, 10]])
  }

  /// A look takes the first so many.
  @Test func `pairs are in the order of the rounds`() {
    let turns = [(1, 2, 60), (0, 10, 20), (1, 1, 50), (0, 2, 10)]
    let paired = PairedSamples(
      candidate: cell("a", turns), reference: cell("b", turns.map { ($0.0, $0.1, 1) }))
    #expect(paired.pairs.map(\.candidate) == [10, 20, 50, 60])
  }
}

@Suite(.ownThread) struct RankResamplingTests {
  private func probabilities(_ samples: [Sample]) -> [String: [Double]] {
    let analysis = RunAnalysis(
      run: "r", samples: samples, options: AnalysisOptions(reference: "callbacks") { $0.rankResamples = 400 })
    return Dictionary(
      uniqueKeysWithValues: analysis.summaries.map { ($0.contender, $0.rankProbabilities?.values ?? []) })
  }

  private let samples =
    SyntheticRun.cell("callbacks", factor: 1, generations: 3)
    + SyntheticRun.cell("futures", factor: 1.001, generations: 3)
    + SyntheticRun.cell("operations", factor: 3, generations: 3)

  @Test func `a certain last place has probability 1`() throws {
    let probabilities = probabilities(samples)
    #expect(probabilities["operations"] == [0, 0, 1])
    let first = try #require(probabilities["callbacks"]?[0])
    #expect(first > 0.3 && first < 1)
  }

  @Test func `generations are resampled before rounds`() throws {
    // Faster in two of three generations with every round: 20 of 27, not nearly certain.
    let other = SyntheticRun.cell("callbacks", factor: 1, rounds: 40, generations: 3).changing { sample in
      sample.contender = "futures"
      sample.wallNanoseconds = sample.wallNanoseconds.map { sample.generation == 2 ? $0 / 2 : $0 * 2 }
    }
    let first = try #require(
      probabilities(SyntheticRun.cell("callbacks", factor: 1, rounds: 40, generations: 3) + other)[
        "callbacks"]?[0])
    #expect(abs(first - 20 / 27) < 0.07)
  }

  @Test func `an unranked contender takes no probability`() {
    var samples = samples
    for index in samples.indices where samples[index].contender == "operations" {
      samples[index].outcome = .wrong
    }
    let probabilities = probabilities(samples)
    #expect(probabilities["operations"] == [])
    #expect(probabilities["futures"]?.count == 2)
  }
}

@Suite(.ownThread) struct SettledTests {
  private func settled(_ samples: [Sample], generations: Int = 1) -> Set<String> {
    let keys = RunAnalysis.settled(
      samples, options: AnalysisOptions(reference: "callbacks"), generations: generations)
    return Set(keys.map { "\($0.contender) \($0.scenario)" })
  }

  /// Ratios of one scenario that alternate around their mean by a share of it.
  private func cells(
    _ scenario: String = "s", _ ratios: KeyValuePairs<String, (ratio: Double, spread: Double)>,
    rounds: Int = 14, generations: Int = 1
  ) -> [Sample] {
    let reference = SyntheticRun.cell(
      "callbacks", scenario, factor: 1, rounds: rounds, generations: generations)
    return reference
      + ratios.flatMap { contender, truth in
        reference.changing { sample in
          sample.contender = contender
          let share = truth.ratio * (1 + (sample.round % 2 == 0 ? truth.spread : -truth.spread))
          sample.wallNanoseconds = Int(Double(sample.wallNanoseconds!) * share)
          sample.cpuUserNanoseconds = Int(Double(sample.cpuUserNanoseconds!) * share)
          sample.cpuSystemNanoseconds = Int(Double(sample.cpuSystemNanoseconds!) * share)
        }
      }
  }

  @Test func `a decided, well-known contender leaves`() {
    let samples = cells(
      "s", ["clear": (3, 0.01), "equal": (1, 0.01), "wide": (3, 0.2), "open": (1.08, 0.1)], rounds: 16)
    #expect(settled(samples) == ["clear s", "equal s", "wide s"])
  }

  @Test func `a contender that needs far more rounds comes last`() {
    let hopeless = cells("s", ["clear": (3, 0.01), "hopeless": (1, 0.3), "open": (1.08, 0.1)], rounds: 16)
    #expect(settled(hopeless) == ["clear s", "hopeless s"])
    #expect(settled(hopeless.filter { $0.contender != "open" }) == ["clear s"])
  }

  @Test func `the reference leaves with the last of its scenario`() {
    let samples = cells("s", ["clear": (3, 0.01)], rounds: 16) + cells("t", ["open": (1.08, 0.1)], rounds: 16)
    #expect(settled(samples) == ["clear s", "callbacks s"])
  }

  @Test func `a contender undecided in CPU time alone stays`() {
    let samples = cells("s", ["clear": (3, 0.01), "other": (2, 0.01)], rounds: 16).changing { sample in
      if sample.contender == "clear" {
        // Alternates between the reference's and a fifth more.
        sample.cpuUserNanoseconds = sample.wallNanoseconds! / 3 * (sample.round % 2 == 0 ? 12 : 10) / 10
        sample.cpuSystemNanoseconds = 0
      }
      if sample.contender == "callbacks" {
        sample.cpuUserNanoseconds = sample.wallNanoseconds!
        sample.cpuSystemNanoseconds = 0
      }
    }
    #expect(settled(samples) == ["other s"])
  }

  @Test func `no contender leaves before the first look or with few processes`() {
    let (clear, open) = ((ratio: 3.0, spread: 0.01), (ratio: 1.08, spread: 0.1))
    // Of 14 rounds one warms up, and one is disturbed.
    #expect(settled(cells("s", ["clear": clear, "open": open], rounds: 13)).isEmpty)
    #expect(!settled(cells("s", ["clear": clear, "open": open], rounds: 14)).isEmpty)
    let samples = cells("s", ["clear": clear, "open": open], generations: 2)
    #expect(!settled(samples, generations: 2).isEmpty)
    #expect(settled(samples, generations: 3).isEmpty)
  }

  /// Time that is left goes to the widest intervals.
  @Test func `if all are decided, the best known leave`() {
    let samples = cells("s", ["narrow": (3, 0.005), "wider": (3, 0.03)], rounds: 16)
    #expect(settled(samples) == ["narrow s"])
  }
}
