import TestSupport
import Statistics
import Testing

@Suite(.ownThread) struct SignTestTests {
  /// Expected without ties: scipy.stats.binomtest(max(below, above), below + above).pvalue.
  @Test(
    arguments: [
      (2, 8, 0, 0.109375), (0, 10, 0, 0.001953125), (6, 0, 0, 0.03125), (5, 5, 0, 1),
      (10, 30, 0, 0.0022214337732293643),
      // Ties stay in the number of trials: 7 of 10, 3 of 10, 5 of 100.
      (2, 7, 1, 0.34375), (3, 3, 4, 1), (0, 5, 95, 1), (0, 0, 0, 1),
    ] as [(Int, Int, Int, Double)])
  func thePValueIsExactAndTiesSpeakForNeitherSide(below: Int, above: Int, ties: Int, expected: Double) {
    let values =
      [Double](repeating: -1, count: below) + [Double](repeating: 2, count: above)
      + [Double](repeating: 0, count: ties)
    let test = SignTest(values)
    #expect((test.below, test.above, test.ties) == (below, above, ties))
    #expect(isClose(test.pValue, expected, tolerance: 1e-10))
  }

  @Test func anotherMedianShiftsTheSigns() {
    let test = SignTest([1, 2, 3, 4], median: 3)
    #expect((test.below, test.above, test.ties) == (2, 1, 1))
  }

  @Test func simulatedFalseAlarmsStayWithinTheirLevel() {
    var numbers = SeededNumbers(seed: 7)
    let repetitions = 4_000
    let alarms = (0..<repetitions).count { _ in
      SignTest((0..<21).map { _ in numbers.normal() }).pValue <= 0.05
    }
    // The exact level for 21 is 0.0266; five standard errors above it is still below 0.05.
    #expect(Double(alarms) / Double(repetitions) < 0.0266 + 5 * 0.0026)
    #expect(alarms > 0)
  }
}
