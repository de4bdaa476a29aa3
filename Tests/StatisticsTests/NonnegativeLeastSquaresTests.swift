import Statistics
import TestSupport
import Testing

@Suite(.ownThread) struct NonnegativeLeastSquaresTests {
  /// Three prices, and things that cost what they are made of.
  @Test func pricesAreFoundFromWhatThingsCost() {
    let rows: [[Double]] = [[1, 0, 4], [0, 2, 1], [3, 1, 0], [1, 1, 1], [5, 0, 2]]
    let right = rows.map { 7 * $0[0] + 11 * $0[1] + 0.5 * $0[2] }
    let fit = NonnegativeLeastSquares(rows: rows, right: right, weights: [1, 2, 1, 3, 1])
    for (found, true_) in zip(fit.coefficients, [7, 11, 0.5]) { #expect(abs(found - true_) < 1e-3) }
  }

  /// Whoever does more of the second and takes less has no negative price, but none.
  @Test func noPriceIsBelowNothing() {
    let fit = NonnegativeLeastSquares(
      rows: [[1, 1], [1, 2], [1, 3]], right: [10, 9, 8], weights: [1, 1, 1])
    #expect(fit.coefficients[1] == 0)
    #expect(abs(fit.coefficients[0] - 9) < 1e-6)
  }

  /// Of two that disagree the one counts more that weighs more.
  @Test func weightsSayWhoseErrorCounts() {
    let fit = NonnegativeLeastSquares(rows: [[1], [1]], right: [1, 5], weights: [3, 1])
    #expect(abs(fit.coefficients[0] - 1.4) < 1e-6)
  }

  @Test func whatNobodyDoesHasNoPrice() {
    let fit = NonnegativeLeastSquares(rows: [[0, 1], [0, 2]], right: [2, 4], weights: [1, 1])
    #expect(fit.coefficients == [0, 2])
  }
}
