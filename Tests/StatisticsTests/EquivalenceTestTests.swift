import TestSupport
import Statistics
import Testing

@Suite(.ownThread) struct EquivalenceTestTests {
  /// Expected: the larger of scipy.stats.binomtest(k, n, alternative="greater").pvalue with k values below +1, above −1.
  @Test(
    arguments: [
      ([0.1, -0.2, 0.3, -0.9, 0.99], 0.03125), ([0, 0, 0, 0, 0, 0, 0, 2], 0.03515625),
      ([0, 0, 0, 0, 0, 0, 2, -2], 0.03515625), ([0, 0, 0, 0, 0, 0, 2, 2], 0.14453125), ([5, 5, 5], 1),
      // What lies on an end of the margin speaks against it.
      ([0, 0, 0, 0, 0, 0, 0, 1], 0.03515625), ([0, 0, 0, 0, 0, 0, 0, -1], 0.03515625), ([], 1),
    ] as [([Double], Double)])
  func thePValueIsThatOfTheWorseSide(values: [Double], expected: Double) {
    #expect(isClose(EquivalenceTest(values, margin: 1).pValue, expected))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func itIsRejectedExactlyIfTheIntervalLiesInsideTheMargin(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    var decisions: Set<Bool> = []
    for count in 6...60 {
      // Rounded, so that ties are common, on the ends of the margin too.
      let values = (0..<count).map { _ in (numbers.normal() * 4).rounded() / 4 + 0.25 }
      guard let interval = MedianInterval(of: values, level: 0.9) else { continue }
      let isInside = -0.75 < interval.low && interval.high < 0.75
      #expect(isInside == (EquivalenceTest(values, margin: 0.75).pValue <= 0.05))
      decisions.insert(isInside)
    }
    #expect(decisions == [true, false])
  }

  @Test func simulatedDifferencesOfTheMarginAreRarelyCalledEquivalent() {
    var numbers = SeededNumbers(seed: 5)
    let repetitions = 4_000
    let alarms = (0..<repetitions).count { _ in
      EquivalenceTest((0..<40).map { _ in 1 + 0.3 * numbers.normal() }, margin: 1).pValue <= 0.05
    }
    // The exact level for 40 is 0.0403.
    #expect(abs(Double(alarms) / Double(repetitions) - 0.0403) < 3 * 0.0031)
  }
}
