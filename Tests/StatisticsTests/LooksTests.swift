import Foundation
import Statistics
import TestSupport
import Testing

@Suite(.ownThread) struct LooksTests {
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
