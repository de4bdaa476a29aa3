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
