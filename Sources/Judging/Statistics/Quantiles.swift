import Foundation

/// Quantiles of numbers in any order. The numbers must be finite.
public enum Quantiles {
  /// The `fraction` quantile by linear interpolation between order statistics; `nil` if there are no values.
  ///
  /// Hyndman and Fan's definition 7, the default of R and NumPy: position `fraction` × (n − 1) of the sorted values, counted from 0. A high
  /// quantile of few values is practically their maximum, so callers decide how many values they need.
  public static func quantile(_ fraction: Double, of values: [Double]) -> Double? {
    precondition((0...1).contains(fraction), "a quantile's fraction lies between 0 and 1")
    guard !values.isEmpty else { return nil }
    let position = fraction * Double(values.count - 1)
    let below = Int(position)
    var values = values
    let low = select(below, &values)
    guard let high = values[(below + 1)...].min() else { return low }
    return low + (position - Double(below)) * (high - low)
  }

  /// The value that has index `rank` after sorting. The search partly sorts the values (C. A. R. Hoare, Find, 1961).
  private static func select(_ rank: Int, _ values: inout [Double]) -> Double {
    var (left, right) = (0, values.count - 1)
    while left < right {
      let pivot = values[rank]
      var (low, high) = (left, right)
      while low <= high {
        while values[low] < pivot { low += 1 }
        while pivot < values[high] { high -= 1 }
        if low <= high {
          values.swapAt(low, high)
          (low, high) = (low + 1, high - 1)
        }
      }
      if high < rank { left = low }
      if rank < low { right = high }
    }
    return values[rank]
  }

  /// The middle value, or the mean of the two middle values; `nil` if there are no values.
  public static func median(of values: [Double]) -> Double? { quantile(0.5, of: values) }
}

/// The mean and the variance of numbers.
public enum Moments {
  /// The mean; `nil` if there are no values.
  public static func mean(of values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }

  /// The sample variance; `nil` for fewer than two values.
  public static func variance(of values: [Double]) -> Double? {
    guard values.count > 1, let mean = mean(of: values) else { return nil }
    return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
  }
}

/// Summarises a dozen samples of one process as the mean of the fastest, because disturbances only add time.
public enum SampleLevel: Sendable, Hashable {
  /// The mean of the ⌈n/4⌉ smallest values. It varies less between processes than the median.
  case lowQuarter
  /// The mean of the ⌈n/2⌉ smallest values. For a dozen values it varies less between processes than the low quarter.
  case lowHalf

  /// The mean of the selected values; `nil` if there are no values.
  public func of(_ values: [Double]) -> Double? {
    if values.isEmpty { return nil }
    let parts = self == .lowQuarter ? 4 : 2
    let count = (values.count + parts - 1) / parts
    return values.sorted().prefix(count).reduce(0, +) / Double(count)
  }
}

/// Ratios of positive measurements on a symmetric scale: twice as slow and twice as fast are equally far from equal.
public enum LogRatio {
  /// ln(numerator ÷ denominator). Both must be above 0.
  public static func of(_ numerator: Double, to denominator: Double) -> Double {
    precondition(numerator > 0 && denominator > 0, "a log-ratio takes positive numbers")
    return log(numerator / denominator)
  }

  /// The geometric mean of at least one value, all above 0.
  public static func geometricMean(_ values: [Double]) -> Double {
    values.count == 1 ? values[0] : exp(values.reduce(0) { $0 + log($1) } / Double(values.count))
  }

  public static func ratio(_ logRatio: Double) -> Double { exp(logRatio) }
}
