import Foundation

/// Models time as a power of a job's width, such as its number of uploads. The power is a straight line on logarithmic axes.
public enum PowerLaw {
  /// The exponent of the power, fitted by least squares on logarithmic axes; `nil` for fewer than two different widths.
  ///
  /// 1 means linear growth and 2 quadratic. N·log N has the slope 1 + 1 ÷ ln N: 1.14 at 1 000 and 1.07 at 1 000 000.
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

/// The time at one width, such as the time of a job with `width` uploads.
public struct WidthTime: Sendable, Hashable {
  /// The width, such as the number of uploads; at least 1.
  public var width: Double
  /// The time, above 0, in any unit.
  public var time: Double

  public init(width: Double, time: Double) {
    precondition(width >= 1 && time > 0, "width must be at least 1, and time above 0")
    self.width = width
    self.time = time
  }
}
