/// Least squares with coefficients that cannot be below 0, because they are prices.
///
/// One coefficient after the other takes the value that is best while the others stay, until none moves (V. Franc, V. Hlaváč and
/// M. Navara, “Sequential Coordinate-Wise Algorithm for the Non-negative Least Squares Problem”, CAIP 2005).
public struct NonnegativeLeastSquares: Sendable, Hashable {
  /// One for each column; 0 where a column is all zeros.
  public let coefficients: [Double]

  /// - Parameters:
  ///   - rows: what each observation has of each column.
  ///   - right: what was observed, one for each row.
  ///   - weights: what each row's error is multiplied by.
  ///   - start: coefficients that are near; nil: none are known.
  public init(rows: [[Double]], right: [Double], weights: [Double], start: [Double]? = nil) {
    precondition(
      rows.count == right.count && rows.count == weights.count, "a value and a weight for each row")
    let count = rows.first?.count ?? 0
    var products = [[Double]](repeating: [Double](repeating: 0, count: count), count: count)
    var gradient = [Double](repeating: 0, count: count)
    for index in rows.indices {
      let (row, square) = (rows[index], weights[index] * weights[index])
      // Most rows have next to nothing of most columns.
      let present = row.indices.filter { row[$0] != 0 }
      for column in present {
        gradient[column] -= square * row[column] * right[index]
        for other in present { products[column][other] += square * row[column] * row[other] }
      }
    }
    var solution = start ?? [Double](repeating: 0, count: count)
    for column in 0..<count where solution[column] != 0 {
      for other in 0..<count { gradient[other] += solution[column] * products[column][other] }
    }
    for _ in 0..<Self.mostSweeps {
      var hasMoved = false
      for column in 0..<count where products[column][column] > 0 {
        let value = max(0, solution[column] - gradient[column] / products[column][column])
        let step = value - solution[column]
        guard step != 0 else { continue }
        solution[column] = value
        for other in 0..<count { gradient[other] += step * products[column][other] }
        hasMoved = hasMoved || abs(step) > 1e-6 * max(value, 1e-6)
      }
      if !hasMoved { break }
    }
    coefficients = solution
  }

  /// Columns that go together are told apart slowly; what is left after so many is far below any measurement's error.
  private static let mostSweeps = 2_000
}
