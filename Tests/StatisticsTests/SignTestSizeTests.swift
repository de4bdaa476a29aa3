import TestSupport
import Statistics
import Testing

@Suite(.ownThread) struct SignTestSizeTests {
  @Test(arguments: [0.5, 0.51, 1])
  func halfOfTheValuesAgainstItCannotBeOverruled(share: Double) {
    #expect(SignTestSize.values(contraryShare: share, significance: 0.025, power: 0.8) == nil)
  }

  @Test func valuesThatAllAgreeNeedAsManyAsAnIntervalDoes() {
    #expect(SignTestSize.values(contraryShare: 0, significance: 0.025, power: 0.8) == 6)
    #expect(SignTestSize.values(contraryShare: 0, significance: 0.0005, power: 0.8) == 11)
  }

  /// So many values of which a share speaks against it reject about as often as was asked for.
  @Test(
    arguments: [(0.1, 0.025), (0.2, 0.025), (0.2, 0.0005), (0.35, 0.025), (0.35, 0.0005)],
    [0.8, 0.9])
  func simulatedTestsOfThatSizeRejectAsOftenAsTheyShould(
    parameters: (share: Double, significance: Double), power: Double
  ) throws {
    let count = try #require(
      SignTestSize.values(
        contraryShare: parameters.share, significance: parameters.significance, power: power))
    var numbers = SeededNumbers(seed: 9)
    let repetitions = 1_000
    let rejected = (0..<repetitions).count { _ in
      let values = (0..<Int(count)).map { _ in numbers.uniform() < parameters.share ? -1.0 : 1.0 }
      return SignTest(values).pValue <= 2 * parameters.significance
    }
    // The test's steps are coarse for few values.
    #expect(abs(Double(rejected) / Double(repetitions) - power) < 0.09, "\(count) values")
  }
}
