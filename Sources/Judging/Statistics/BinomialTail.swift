import Foundation

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
