import Foundation

/// Ratios of positive measurements, on the scale where they are symmetric: twice as slow and twice as fast are equally
/// far from the same.
public enum LogRatio {
  /// ln(numerator ÷ denominator). Both must be above 0.
  public static func of(_ numerator: Double, to denominator: Double) -> Double {
    precondition(numerator > 0 && denominator > 0, "a log-ratio takes positive numbers")
    return log(numerator / denominator)
  }

  /// The ratio that a log-ratio stands for.
  public static func ratio(_ logRatio: Double) -> Double { exp(logRatio) }
}
