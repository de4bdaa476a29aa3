/// Holm's step-down procedure: many tests, and the chance of even one false rejection stays at most `alpha`.
///
/// S. Holm, A simple sequentially rejective multiple test procedure, 1979. Valid however the tests depend on each other.
public struct HolmStepDown: Sendable, Hashable {
  public struct Decision: Sendable, Hashable {
    /// The smallest family-wise `alpha` that would reject this one.
    public let adjustedPValue: Double
    public let isRejected: Bool
    /// The significance at which this one was decided: between `alpha` ÷ (number of tests) and `alpha`.
    ///
    /// p ≤ `significance` exactly when rejected, so an interval at level 1 − `significance` agrees with the decision.
    public let significance: Double
  }

  /// In the order of the p-values that were given.
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
      // Equal p-values share the strictest of their steps; after the first acceptance nothing gets a milder one.
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
