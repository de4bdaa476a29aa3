import TestSupport
import Statistics
import Testing

@Suite(.ownThread) struct HolmStepDownTests {
  @Test func `adjusted p-values are those of the textbook`() {
    let decisions = HolmStepDown(pValues: [0.01, 0.04, 0.03, 0.005], alpha: 0.05).decisions
    for (decision, expected) in zip(decisions, [0.03, 0.06, 0.06, 0.02]) {
      #expect(isClose(decision.adjustedPValue, expected))
    }
    #expect(decisions.map(\.isRejected) == [true, false, false, true])
  }

  @Test func `the first acceptance ends the rejections`() {
    // 0.02 alone would pass at its step (0.05), but 0.03 > 0.05 ÷ 2 does not come before it.
    let decisions = HolmStepDown(pValues: [0.026, 0.03, 0.001], alpha: 0.05).decisions
    #expect(decisions.map(\.isRejected) == [false, false, true])
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func `a decision agrees with its significance and its adjusted p-value`(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let pValues = (0..<40).map { _ in (numbers.uniform() * numbers.uniform() * 50).rounded() / 1_000 }
    for (pValue, decision) in zip(pValues, HolmStepDown(pValues: pValues, alpha: 0.05).decisions) {
      #expect(decision.isRejected == (pValue <= decision.significance))
      #expect(decision.isRejected == (decision.adjustedPValue <= 0.05))
    }
  }

  @Test func `equal p-values are decided alike`() {
    let decisions = HolmStepDown(pValues: [0.5, 0.02, 0.02], alpha: 0.05).decisions
    #expect(decisions[1] == decisions[2])
    #expect(decisions[1].isRejected == false)
  }

  @Test func `no tests give no decisions`() {
    #expect(HolmStepDown(pValues: [], alpha: 0.05).decisions.isEmpty)
  }
}
