import Foundation
import Statistics
import TestSupport
import Testing

@Suite(.ownThread) struct ScalingFitTests {
  private static let widths = [1.0, 10, 100, 1_000, 10_000, 100_000, 1_000_000]

  private func points(_ widths: [Double] = widths, _ time: (Double) -> Double) -> [WidthTime] {
    widths.map { WidthTime(width: $0, time: time($0)) }
  }

  @Test(arguments: [(5_000.0, 120.0, 0.0), (0, 90, 7), (20_000, 0, 3), (300, 40, -1.5)])
  func `the fit finds the coefficients of exact times`(a: Double, b: Double, c: Double) throws {
    let fit = try #require(ScalingFit(points { a + b * $0 + c * $0 * log2($0) }))
    #expect(abs(fit.fixed - a) <= 1e-6 * (a + b))
    #expect(abs(fit.linear - b) <= 1e-9 * (a + b))
    #expect(abs(fit.logLinear - c) <= 1e-9 * (a + b))
    #expect(fit.largestDeviation(from: points { a + b * $0 + c * $0 * log2($0) }) < 1e-9)
  }

  /// Weighted by absolute errors, the largest width would decide everything.
  @Test func `every width counts by its relative error`() throws {
    var noisy = points { 1_000 + 50 * $0 }
    noisy[6].time *= 1.1
    let fit = try #require(ScalingFit(noisy))
    #expect(abs(fit.time(at: 1) / 1_050 - 1) < 0.02)
    #expect(abs(fit.time(at: 100) / 6_000 - 1) < 0.02)
  }

  @Test func `a fit of another growth is far off`() throws {
    let square = points { 10 * $0 * $0 }
    #expect(try #require(ScalingFit(square)).largestDeviation(from: square) > 0.5)
  }

  @Test func `two widths do not determine a fit`() {
    #expect(ScalingFit(points([10, 100, 100]) { $0 }) == nil)
    #expect(ScalingFit(points([1, 10, 100]) { $0 }) != nil)
  }

  @Test(arguments: [1e-3, 1, 1e9]) func `the unit of time makes no difference`(unit: Double) throws {
    let fit = try #require(ScalingFit(points { unit * (700 + 30 * $0 + 2 * $0 * log2($0)) }))
    #expect(isClose(fit.fixed / unit, 700, tolerance: 1e-6))
    #expect(isClose(fit.linear / unit, 30, tolerance: 1e-7))
    #expect(isClose(fit.logLinear / unit, 2, tolerance: 1e-7))
  }
}
