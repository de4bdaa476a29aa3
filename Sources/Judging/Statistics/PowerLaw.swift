import Foundation

/// Time as a power of the width: a straight line on logarithmic axes.
public enum PowerLaw {
  /// The line's slope, by least squares; nil of fewer than two different widths.
  ///
  /// 1 is linear growth, 2 quadratic. N·log N has 1 + 1 ÷ ln N, which is 1.14 at 1 000 and 1.07 at 1 000 000.
  public static func exponent(_ points: [WidthTime]) -> Double? {
    guard Set(points.map(\.width)).count > 1 else { return nil }
    let logs = points.map { (x: log($0.width), y: log($0.time)) }
    let meanX = logs.reduce(0) { $0 + $1.x } / Double(logs.count)
    let meanY = logs.reduce(0) { $0 + $1.y } / Double(logs.count)
    let (product, square) = logs.reduce((0.0, 0.0)) { sums, point in
      (sums.0 + (point.x - meanX) * (point.y - meanY), sums.1 + (point.x - meanX) * (point.x - meanX))
    }
    return product / square
  }
}

/// A time at one width, such as of a post of this many uploads.
public struct WidthTime: Sendable, Hashable {
  /// 1 or more.
  public var width: Double
  /// Above 0, in whatever unit.
  public var time: Double

  public init(width: Double, time: Double) {
    precondition(width >= 1 && time > 0, "something of a width takes time")
    self.width = width
    self.time = time
  }
}

/// Where two curves meet of which only some points are known.
///
/// Both usual curves between points are tried, as they differ where points are far apart: a fixed time and one for each unit of width
/// is straight, and a power is straight on logarithmic axes.
public enum Crossing: CaseIterable, Sendable {
  case straight, straightInLogarithms

  /// The width at which they first meet; nil if they do not.
  ///
  /// - Parameters:
  ///   - first: by rising width.
  ///   - second: at the same widths.
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
