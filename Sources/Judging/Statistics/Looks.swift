/// Tests that are repeated while values come in, so that what is clear early need not wait for what is not.
///
/// Each of at most ``most`` looks has an equal share of the level (Bonferroni): the chance that any of them rejects what is true
/// stays within it, whenever one stops.
public enum Looks {
  /// After so many values; one more look is taken at the end.
  public static let counts = [12, 24]
  public static let most = counts.count + 1
  /// The end may come before the first of them, but with fewer values nothing is tested.
  public static let fewestValues = 6

  /// A p-value for all looks together.
  ///
  /// - Parameters:
  ///   - values: in the order in which they came.
  ///   - hasEnded: false while more values may come: then what came after the latest look waits for the next.
  ///   - pValue: of one look.
  public static func pValue(
    of values: [Double], hasEnded: Bool, _ pValue: (TrimmedMean) -> Double
  ) -> Double {
    var ends = counts.filter { $0 <= values.count }
    if hasEnded, values.count >= fewestValues, ends.last != values.count { ends.append(values.count) }
    let least = ends.compactMap { TrimmedMean(of: Array(values.prefix($0))).map(pValue) }.min() ?? 1
    return min(1, Double(most) * least)
  }
}
