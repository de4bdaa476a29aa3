import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

@Suite(.ownThread(minutes: 10)) struct ComparisonTests {
  /// `count` pairs around a ratio that alternate between both sides of it by a spread.
  private func pairs(ratio: Double, spread: Double = 0.005, count: Int = 24) -> PairedSamples {
    PairedSamples(
      pairs: (0..<count).map { index in
        (1_000 * ratio * (1 + (index % 2 == 0 ? spread : -spread) * (1 + Double(index) / 100)), 1_000)
      })
  }

  private func decide(_ samples: PairedSamples, margin: Double = 0.05) -> Comparison {
    Comparison.family(
      [samples],
      options: AnalysisOptions(reference: "r") { $0.equivalenceMargin = margin })[0]
  }

  @Test(
    arguments: [
      (1.2, 0.005, .slower, false), (0.8, 0.005, .faster, false), (1, 0.005, .equivalent, true),
      (1.001, 0.02, .equivalent, true), (1, 0.2, .unresolved, false),
      // Proved to be slower, and proved to be so by less than the margin: it is called what it is.
      (1.02, 0.005, .slower, true), (0.98, 0.005, .faster, true),
      // The margin is as wide down as up, as ratios go: from 1 ÷ 1.05.
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
    #expect(decide(pairs(ratio: 1, count: 4)).verdict == .unresolved)
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
        // A difference that is said to be within the margin is shown so.
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
        if processes { samples.processes = (0..<72).map { "\($0 / 12)" } }
        return decide(samples).interval?.contains(1) == true
      }
    }
    #expect((275...298).contains(cover(true)))
    #expect(cover(false) < 200)
  }

  /// 20 cells, of which eight are equal, eight differ by exactly the margin and four by much: how often a family has a
  /// false statement of either kind.
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

  /// Of pairs that fall exactly as their distribution (logistic) says: after so many rounds as are said to resolve them
  /// most runs do, after a third of them at most half.
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

  @Test func `the estimated rounds are capped`() {
    // As many above as below, and all of them beyond the margin.
    let hopeless = decide(PairedSamples(pairs: (0..<24).map { $0 % 2 == 0 ? (9, 1) : (1, 9) }))
    #expect(hopeless.verdict == .unresolved)
    #expect(hopeless.roundsToResolve == 10_000)
    // Half a per cent more above than below: a hundred thousand rounds and more.
    let weary = PairedSamples(
      pairs: [(9, 1)] + (0..<400).map { index in index % 2 == 0 ? (9, 1) : (1, 9) })
    #expect(decide(weary).roundsToResolve == 10_000)
    #expect(decide(PairedSamples(pairs: [])).roundsToResolve == nil)
  }

  @Test func `at least six rounds are estimated`() {
    for count in 1...5 {
      // Six is the least that any verdict of one comparison takes.
      #expect(decide(pairs(ratio: 3, count: count)).roundsToResolve == 6)
    }
  }
}
