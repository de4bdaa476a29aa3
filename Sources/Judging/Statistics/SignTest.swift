import Foundation

/// The sign test: is the median of independent values a given one?
public struct SignTest: Sendable, Hashable {
  /// How many values lie below the median that is tested.
  public let below: Int
  /// How many values lie above it.
  public let above: Int
  /// How many values equal it. They count as trials that speak for neither side.
  public let ties: Int

  public init(_ values: [Double], median: Double = 0) {
    below = values.count { $0 < median }
    above = values.count { $0 > median }
    ties = values.count - below - above
  }

  /// The two-sided p-value: 1 if there are no values.
  ///
  /// Ties stay in the number of trials. Leaving them out, as textbooks do, tests another hypothesis and is wrong for
  /// clocks that tick coarsely: 5 of 5 untied values look certain even if 95 others tied.
  public var pValue: Double {
    let trials = below + above + ties
    // P(at least m of n) = P(at most n − m of n), since the coin is fair.
    return min(1, 2 * BinomialTail.lower(trials - max(below, above), trials: trials))
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

/// How many values a sign test will need.
public enum SignTestSize {
  /// The fewest values with which a one-sided sign test probably rejects; nil if no number would do.
  ///
  /// G. E. Noether, Sample size determination for some common nonparametric tests, 1987, with the variance that the
  /// share implies instead of ¼; at least as many as the exact test needs when all values agree.
  ///
  /// - Parameters:
  ///   - contraryShare: the share of values that do not speak for rejection, ties included; from ½ on none will do.
  ///   - significance: of the one-sided test.
  ///   - power: how probable the rejection is to be.
  public static func values(contraryShare: Double, significance: Double, power: Double) -> Double? {
    precondition((0...1).contains(contraryShare), "a share lies between 0 and 1")
    guard contraryShare < 0.5 else { return nil }
    let critical = NormalDistribution.upperQuantile(significance) / 2
    let reserve =
      NormalDistribution.upperQuantile(1 - power) * (contraryShare * (1 - contraryShare)).squareRoot()
    let root = (critical + reserve) / (0.5 - contraryShare)
    return max((root * root).rounded(.up), Double(MedianInterval.smallestCount(level: 1 - 2 * significance)))
  }
}

/// Two one-sided sign tests: does the median of independent values lie within ± a margin of 0?
///
/// Schuirmann's two one-sided tests (1987), the intersection-union form: each of two hypotheses, "the median is at least
/// +margin" and "at most −margin", must be rejected, so the larger of their p-values is the p-value of both together and
/// needs no correction. It is rejected at p exactly when the ``MedianInterval`` of level 1 − 2p lies inside the margin.
public struct EquivalenceTest: Sendable, Hashable {
  /// How many values lie below the margin's upper end.
  public let belowUpper: Int
  /// How many values lie above its lower end.
  public let aboveLower: Int
  public let count: Int

  /// - Parameter margin: above 0, on the scale of the values.
  public init(_ values: [Double], margin: Double) {
    precondition(margin > 0, "a margin of equivalence is above 0")
    belowUpper = values.count { $0 < margin }
    aboveLower = values.count { $0 > -margin }
    count = values.count
  }

  /// The p-value: 1 if there are no values. Values that lie on an end count as trials that speak against equivalence.
  public var pValue: Double {
    BinomialTail.lower(count - min(belowUpper, aboveLower), trials: count)
  }
}
