import Foundation

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

/// Tails of the binomial distribution with probability ½, exact up to rounding.
enum BinomialTail {
  /// The probability of at most `successes` among `trials` tosses of a fair coin.
  static func lower(_ successes: Int, trials: Int) -> Double {
    guard successes >= 0 else { return 0 }
    guard successes < trials else { return 1 }
    // In logarithms, since 2^-trials underflows from 1 075 trials on.
    var logTerm = -Double(trials) * log(2)
    var sum = exp(logTerm)
    for k in 0..<successes {
      logTerm += log(Double(trials - k) / Double(k + 1))
      sum += exp(logTerm)
    }
    return min(sum, 1)
  }

  /// The largest rank r, counted from 1, such that fewer than r successes are no likelier than `tail`; with that
  /// probability. nil if there is none: even no success at all is likelier.
  static func rank(trials: Int, tail: Double) -> (rank: Int, probability: Double)? {
    guard trials > 0 else { return nil }
    var logTerm = -Double(trials) * log(2)
    var sum = exp(logTerm)
    guard sum <= tail else { return nil }
    var rank = 1
    while rank <= trials / 2 {
      logTerm += log(Double(trials - rank + 1) / Double(rank))
      let next = sum + exp(logTerm)
      if next > tail { break }
      sum = next
      rank += 1
    }
    return (rank, sum)
  }
}
