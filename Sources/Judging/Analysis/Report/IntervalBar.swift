/// A value as a bar from 0, with its interval: dark up to where the interval begins, half dark within it.
enum IntervalBar {
  private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  /// - Parameters:
  ///   - interval: nil: unknown, so nothing of the bar is dark. One that is narrower than half a column is not drawn.
  ///   - most: the value that fills the whole width; above 0.
  static func text(
    _ value: Double, interval: ClosedRange<Double>?, most: Double, width: Int
  ) -> String {
    func columns(_ value: Double) -> Double { min(max(value / most, 0), 1) * Double(width) }
    guard let interval else { return String(repeating: "░", count: Int(columns(value).rounded(.up))) }
    let (low, high) = (columns(interval.lowerBound), columns(interval.upperBound))
    if high - low >= 0.5 {
      let dark = min(Int(low.rounded()), width - 1)
      return String(repeating: "█", count: dark)
        + String(repeating: "▒", count: max(Int(high.rounded()), dark + 1) - dark)
    }
    // Whatever has a value has a bar.
    let eighths = max(Int((columns(value) * 8).rounded()), 1)
    return String(repeating: "█", count: eighths / 8) + Self.eighths[eighths % 8]
  }
}
