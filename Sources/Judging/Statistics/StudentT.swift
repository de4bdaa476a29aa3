import Foundation

/// Student's t distribution, for means of few values whose variance is estimated from the same values.
public struct StudentT: Sendable, Hashable {
  /// The degrees of freedom: above 0, not necessarily an integer (B. L. Welch, 1947).
  public let degreesOfFreedom: Double

  public init(degreesOfFreedom: Double) {
    precondition(degreesOfFreedom > 0, "degreesOfFreedom must be above 0")
    self.degreesOfFreedom = degreesOfFreedom
  }

  /// The probability of a value at least this far from 0, on either side.
  public func twoSidedPValue(_ value: Double) -> Double {
    let n = degreesOfFreedom
    return Self.incompleteBeta(n / (n + value * value), n / 2, 0.5)
  }

  /// The distance from 0 that is exceeded, on either side, with the given probability, which is above 0 and at most 1.
  public func quantile(twoSided probability: Double) -> Double {
    precondition(probability > 0 && probability <= 1, "a probability lies between 0 and 1")
    let n = degreesOfFreedom
    let logPeak: Double = lgamma((n + 1) / 2) - lgamma(n / 2) - log(n * .pi) / 2
    // Newton's method. The curve of the probability is convex, so no step overshoots.
    var value = 0.0
    while true {
      let density = exp(logPeak - (n + 1) / 2 * log1p(value * value / n))
      let step = (twoSidedPValue(value) - probability) / (2 * density)
      value += step
      // The error after a step is about its square. Rounding errors may prevent smaller steps.
      guard step > 1e-7 * value else { return value }
    }
  }

  /// The regularised incomplete beta function by Lentz's continued fraction (Abramowitz and Stegun, 26.5.8).
  private static func incompleteBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
    if x <= 0 { return 0 }
    if x >= 1 { return 1 }
    // For such arguments the fraction converges slowly, but the fraction of the opposite tail converges fast.
    if x > (a + 1) / (a + b + 2) { return 1 - incompleteBeta(1 - x, b, a) }
    let logBeta: Double = lgamma(a) + lgamma(b) - lgamma(a + b)
    let logFront: Double = a * log(x) + b * log(1 - x) - logBeta
    let tiny = 1e-300
    var (c, d) = (1.0, 1 - (a + b) * x / (a + 1))
    d = 1 / (abs(d) < tiny ? tiny : d)
    var fraction = d
    for m in 1...500 {
      let m = Double(m)
      let next = a + 2 * m
      let even = m * (b - m) * x / ((next - 1) * next)
      let odd = -(a + m) * (a + b + m) * x / (next * (next + 1))
      var step = 1.0
      for coefficient in [even, odd] {
        d = 1 + coefficient * d
        c = 1 + coefficient / c
        d = 1 / (abs(d) < tiny ? tiny : d)
        c = abs(c) < tiny ? tiny : c
        step = c * d
        fraction *= step
      }
      if abs(step - 1) < 1e-14 { break }
    }
    return exp(logFront) * fraction / a
  }
}

enum NormalDistribution {
  static func upperTail(_ value: Double) -> Double { erfc(value / 2.0.squareRoot()) / 2 }

  /// The value that a normal variable exceeds with this probability, above 0 and below 1. Found by bisection, to 12 decimals.
  static func upperQuantile(_ probability: Double) -> Double {
    precondition(probability > 0 && probability < 1, "a quantile's probability lies between 0 and 1")
    // Beyond 40 a Double cannot distinguish the tail's probability from 0.
    var (low, high) = (-40.0, 40.0)
    while high - low > 1e-12 {
      let middle = (low + high) / 2
      if upperTail(middle) > probability { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}
