import Foundation

/// Time as a + b·N + c·N·log2 N of the width N, by least squares of the relative errors.
///
/// Every width counts alike, because each error is divided by the time itself: a post of one upload as much as one of a
/// million. Columns are scaled to length 1 and the equations solved by Householder reflections (G. H. Golub and C. F. Van
/// Loan, Matrix Computations, 2013, section 5.3), which does not square their condition as normal equations do. A
/// coefficient below 0 is kept: it says that the model bends the other way.
public struct ScalingFit: Sendable, Hashable {
  /// a: the time of the width's own independent part.
  public let fixed: Double
  /// b: per unit of width.
  public let linear: Double
  /// c: per unit of width and its binary logarithm.
  public let logLinear: Double

  /// nil of fewer than three different widths.
  public init?(_ points: [WidthTime]) {
    guard Set(points.map(\.width)).count >= Self.termCount else { return nil }
    var rows = points.map { point in Self.terms(point.width).map { $0 / point.time } }
    let scales = (0..<Self.termCount).map { column in
      rows.reduce(0) { $0 + $1[column] * $1[column] }.squareRoot()
    }
    for row in rows.indices {
      for column in scales.indices { rows[row][column] /= scales[column] }
    }
    guard let solution = Self.leastSquares(rows, [Double](repeating: 1, count: rows.count)) else {
      return nil
    }
    fixed = solution[0] / scales[0]
    linear = solution[1] / scales[1]
    logLinear = solution[2] / scales[2]
  }

  /// What the model says; may be below 0 between widths far apart.
  public func time(at width: Double) -> Double {
    zip([fixed, linear, logLinear], Self.terms(width)).reduce(0) { $0 + $1.0 * $1.1 }
  }

  /// How far the model is from the worst of the points, as a share of its time: what no coefficient says about a curve that
  /// is of another kind, such as N².
  public func largestDeviation(from points: [WidthTime]) -> Double {
    points.map { abs(time(at: $0.width) / $0.time - 1) }.max() ?? 0
  }

  private static let termCount = 3

  private static func terms(_ width: Double) -> [Double] { [1, width, width * log2(width)] }

  /// nil if the columns depend on each other as far as a Double can tell.
  private static func leastSquares(_ matrix: [[Double]], _ right: [Double]) -> [Double]? {
    var (matrix, right) = (matrix, right)
    let count = matrix[0].count
    for column in 0..<count {
      let length = matrix[column...].reduce(0) { $0 + $1[column] * $1[column] }.squareRoot()
      // Columns have length 1 at first.
      guard length > 1e-12 else { return nil }
      let diagonal = matrix[column][column] > 0 ? -length : length
      var mirror = matrix[column...].map { $0[column] }
      mirror[0] -= diagonal
      let square = mirror.reduce(0) { $0 + $1 * $1 }
      for other in column..<count {
        let product = zip(mirror, matrix[column...]).reduce(0) { $0 + $1.0 * $1.1[other] }
        for row in mirror.indices { matrix[column + row][other] -= 2 * product / square * mirror[row] }
      }
      let product = zip(mirror, right[column...]).reduce(0) { $0 + $1.0 * $1.1 }
      for row in mirror.indices { right[column + row] -= 2 * product / square * mirror[row] }
    }
    var solution = [Double](repeating: 0, count: count)
    for row in (0..<count).reversed() {
      let known = (row + 1..<count).reduce(0) { $0 + matrix[row][$1] * solution[$1] }
      solution[row] = (right[row] - known) / matrix[row][row]
    }
    return solution
  }
}

/// Time as a power of the width: the straight line through the points where both are logarithmic.
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
      (
        sums.0 + (point.x - meanX) * (point.y - meanY), sums.1 + (point.x - meanX) * (point.x - meanX)
      )
    }
    return product / square
  }
}

/// How long something took at one width, such as a post of so many uploads.
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
