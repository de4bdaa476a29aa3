import TestSupport
import Testing

@testable import Statistics

@Suite(.ownThread) struct SequentialTestTests {
  /// For processor time on an exclusive processor, by the experiments of Documentation/Checking.md.
  private let test = SequentialTest(SequentialTest.Rule(negligible: 0.01, relevant: 0.03))

  /// Takes pairs until there is a verdict.
  private func decide(
    mean: Double, deviation: Double, _ numbers: inout SeededNumbers, outliers: Double = 0
  ) -> (verdict: SequentialTest.Verdict, pairs: Int) {
    var pairs: [Double] = []
    while true {
      let isOutlier = numbers.uniform() < outliers
      pairs.append(mean + deviation * numbers.normal() * (isOutlier ? 20 : 1))
      if let verdict = test.verdict(of: pairs) { return (verdict, pairs.count) }
    }
  }

  @Test(
    arguments: [
      ([0.0, 0.001, -0.001, 0.002, -0.002, 0.001, 0, -0.001], .unchanged),
      ([0.05, 0.051, 0.049, 0.05, 0.052, 0.048, 0.05, 0.05], .regressed),
      ([-0.05, -0.051, -0.049, -0.05, -0.052, -0.048, -0.05, -0.05], .improved),
      // Far beyond the relevant difference.
      ([0.4, 0.42, 0.38, 0.41, 0.39, 0.4, 0.4, 0.4], .regressed),
      (Array(repeating: 0, count: 8), .unchanged), (Array(repeating: 0.04, count: 8), .regressed),
      (Array(repeating: -0.04, count: 8), .improved),
    ] as [([Double], SequentialTest.Verdict)])
  func `clear pairs are decided at once`(pairs: [Double], verdict: SequentialTest.Verdict) {
    #expect(test.verdict(of: pairs) == verdict)
    #expect(test.verdict(of: pairs.dropLast()) == nil)
  }

  @Test func `pairs that contradict each other are not decided before the last`() {
    let pairs = (0..<test.rule.mostPairs).map { $0 % 2 == 0 ? 0.3 : -0.26 }
    for count in pairs.indices { #expect(test.verdict(of: Array(pairs.prefix(count))) == nil, "\(count)") }
    #expect(test.verdict(of: pairs) == .inconclusive)
  }

  @Test func `a slow-down between negligible and relevant is never called an improvement`() {
    var numbers = SeededNumbers(seed: 5)
    let verdicts = (0..<Effort.count(100, thorough: 500)).map { _ in
      decide(mean: 0.02, deviation: 0.01, &numbers).verdict
    }
    #expect(!verdicts.contains(.improved))
  }

  /// At the rule's rates, for the spreads of a quiet and of a loaded machine.
  @Test(arguments: [0.006, 0.01, 0.02, 0.03])
  func `an unchanged cell is called changed no more often than promised`(deviation: Double) {
    var numbers = SeededNumbers(seed: 1)
    let verdicts = (0..<2_000).map { _ in decide(mean: 0, deviation: deviation, &numbers).verdict }
    // 0.1 % for both directions: 2 are expected, and 8 or more happen once in a thousand times.
    #expect(verdicts.count { $0 == .regressed || $0 == .improved } < 8)
    #expect(verdicts.count { $0 == .unchanged } >= 1_980)
  }

  @Test(arguments: [(0.03, 0.02), (0.05, 0.03), (0.10, 0.05), (0.25, 0.05)])
  func `a relevant difference is found in nineteen of twenty checks`(mean: Double, deviation: Double) {
    var numbers = SeededNumbers(seed: 2)
    let verdicts = (0..<500).map { _ in decide(mean: mean, deviation: deviation, &numbers).verdict }
    #expect(verdicts.count { $0 == .regressed } >= 475)
    #expect(!verdicts.contains(.improved))
  }

  @Test func `a few pairs that were disturbed decide nothing`() {
    var numbers = SeededNumbers(seed: 3)
    let same = (0..<500).map { _ in decide(mean: 0, deviation: 0.01, &numbers, outliers: 0.1).verdict }
    #expect(same.count { $0 == .unchanged } >= 490)
    #expect(same.count { $0 == .regressed || $0 == .improved } <= 2)
    let slower = (0..<500).map { _ in decide(mean: 0.05, deviation: 0.01, &numbers, outliers: 0.1).verdict }
    #expect(slower.count { $0 == .regressed } >= 475)
  }

  @Test func `a large difference takes no more pairs than a small one`() {
    var numbers = SeededNumbers(seed: 4)
    func pairs(_ mean: Double) -> Int {
      (0..<200).reduce(0) { sum, _ in sum + decide(mean: mean, deviation: 0.04, &numbers).pairs }
    }
    let small = pairs(0.05)
    #expect(pairs(0.25) < small)
  }

  private func pValue(_ values: [Double], hasEnded: Bool = true) -> Double {
    Looks.pValue(of: values, hasEnded: hasEnded) { $0.twoSidedPValue() }
  }

  @Test func `the end has most of the level however many looks were taken`() throws {
    let values = [0.1, 0.3, 0.2, 0.2, 0.1, 0.25, 0.15]
    let once = try #require(TrimmedMean(of: values)).twoSidedPValue()
    #expect(pValue(values) == once / Looks.shareOfEnd)
    #expect(pValue(values, hasEnded: false) == 1)
    #expect(pValue(Array(values.prefix(5))) == 1)
  }

  @Test func `a difference that a look found stays found`() {
    let clear = (0..<12).map { 0.2 + 0.01 * Double($0 % 3) }
    let found = pValue(clear, hasEnded: false)
    #expect(found < 1e-6)
    // Later values, whose looks would find nothing.
    #expect(pValue(clear + [-9, 9, -9, 9, -9, 9]) == found)
    // Between looks nothing is tested while more values may arrive.
    #expect(
      pValue([9, -9] + clear + [0.2, 0.2], hasEnded: false)
        == pValue([9, -9] + clear.prefix(10), hasEnded: false))
  }

  /// Values around 0, tested after every look that a run of 60 takes, and at its end.
  @Test func `simulated runs of equal contenders rarely find a difference`() {
    var numbers = SeededNumbers(seed: 7)
    let runs = Effort.count(1_000, thorough: 10_000)
    let found = (0..<runs).count { _ in pValue((0..<60).map { _ in numbers.normal() }) <= 0.05 }
    // Bonferroni gives at most 5 %; looks at common values resemble each other, so it is less, but not 0.
    #expect(Double(found) <= 0.05 * Double(runs))
    #expect(Double(found) >= 0.005 * Double(runs))
  }
}
