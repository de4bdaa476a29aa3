/// Holm's step-down procedure (S. Holm, A simple sequentially rejective multiple test procedure, 1979): the probability of one or more
/// false rejections is at most `alpha`, however the tests depend on each other.
public struct HolmStepDown: Sendable, Hashable {
  public struct Decision: Sendable, Hashable {
    /// The smallest family-wise `alpha` at which the hypothesis is rejected.
    public let adjustedPValue: Double
    public let isRejected: Bool
    /// The level of this test, from `alpha` ÷ (number of tests) to `alpha`. The hypothesis is rejected exactly if p ≤ `significance`, so an
    /// interval at level 1 − `significance` agrees with the decision.
    public let significance: Double
  }

  /// The decisions in the order of the p-values.
  public let decisions: [Decision]

  public init(pValues: [Double], alpha: Double) {
    precondition(alpha > 0 && alpha < 1, "alpha lies between 0 and 1")
    precondition(pValues.allSatisfy { (0...1).contains($0) }, "p-values lie between 0 and 1")
    let order = pValues.indices.sorted { (pValues[$0], $0) < (pValues[$1], $1) }
    var decisions = [Decision?](repeating: nil, count: pValues.count)
    var isRejecting = true
    var adjusted = 0.0
    var significance = 0.0
    var previous: Double?
    for (step, index) in order.enumerated() {
      let pValue = pValues[index]
      // Equal p-values are tested at one level, the strictest. After the first hypothesis that is not rejected, the level stays the same.
      if isRejecting, pValue != previous {
        significance = alpha / Double(pValues.count - step)
        isRejecting = pValue <= significance
      }
      adjusted = max(adjusted, min(1, pValue * Double(pValues.count - step)))
      decisions[index] = Decision(
        adjustedPValue: adjusted, isRejected: isRejecting, significance: significance)
      previous = pValue
    }
    self.decisions = decisions.compactMap(\.self)
  }
}
