/// The one number that stands for a dozen samples of one process: a mean of the fastest, since on a shared machine
/// disturbance only ever adds time.
public enum SampleLevel: Sendable, Hashable {
  /// The mean of the fastest quarter.
  case lowQuarter
  /// The mean of the faster half: of more samples, and nearer to what disturbs them.
  case lowHalf

  /// nil of no values.
  public func of(_ values: [Double]) -> Double? {
    switch self {
    case .lowQuarter: Quantiles.lowQuartileMean(of: values)
    case .lowHalf: Quantiles.lowHalfMean(of: values)
    }
  }
}
