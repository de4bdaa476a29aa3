import Foundation

/// Where two curves meet of which only some points are known.
///
/// Between neighbouring points nobody knows how a curve goes. Two ways are usual, and disagree where neighbours are far
/// apart: what costs a fixed time and one for each unit of width is straight, and a power is straight where both axes are
/// logarithmic. Each is exact for its own kind of curve.
public enum Crossing: CaseIterable, Sendable {
  case straight
  case straightInLogarithms

  /// The width at which they first meet; nil if they do not.
  ///
  /// - Parameters:
  ///   - first: with rising widths.
  ///   - second: at the same ones.
  public func width(_ first: [WidthTime], _ second: [WidthTime]) -> Double? {
    let differences = zip(first, second).map { one, other in
      switch self {
      case .straight: one.time - other.time
      case .straightInLogarithms: LogRatio.of(one.time, to: other.time)
      }
    }
    for index in differences.indices.dropLast() {
      let (before, after) = (differences[index], differences[index + 1])
      guard before * after <= 0, before != after else { continue }
      let share = before / (before - after)
      let (low, high) = (first[index].width, first[index + 1].width)
      return switch self {
      case .straight: low + share * (high - low)
      case .straightInLogarithms: exp(log(low) + share * (log(high) - log(low)))
      }
    }
    return nil
  }
}
