import Foundation

/// The standard normal distribution.
enum NormalDistribution {
  /// The probability of a higher value.
  static func upperTail(_ value: Double) -> Double { erfc(value / 2.0.squareRoot()) / 2 }

  /// The value that is exceeded with this probability; above 0 and below 1. By bisection, to 12 decimals.
  static func upperQuantile(_ probability: Double) -> Double {
    precondition(probability > 0 && probability < 1, "a quantile's probability lies between 0 and 1")
    // Beyond 40 no Double is left to tell tails from 0.
    var (low, high) = (-40.0, 40.0)
    while high - low > 1e-12 {
      let middle = (low + high) / 2
      if upperTail(middle) > probability { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}
