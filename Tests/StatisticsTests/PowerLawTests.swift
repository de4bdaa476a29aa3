import Foundation
import Statistics
import TestSupport
import Testing

private func points(_ widths: [Double], _ time: (Double) -> Double) -> [WidthTime] {
  widths.map { WidthTime(width: $0, time: time($0)) }
}

@Suite(.ownThread) struct PowerLawTests {
  @Test(arguments: [0.5, 1, 1.9, 2, 3]) func `a power is its own exponent`(power: Double) {
    #expect(isClose(PowerLaw.exponent(points([1, 10, 1_000, 5_000]) { 7 * pow($0, power) }), power))
  }

  @Test(arguments: [(1_000.0, 1.145), (1_000_000.0, 1.072)])
  func `N log N has its local exponent`(width: Double, exponent: Double) throws {
    let slope = try #require(PowerLaw.exponent(points([width, width * 1.01]) { $0 * log($0) }))
    #expect(abs(slope - exponent) < 0.001)
  }

  @Test func `one width has no slope`() {
    #expect(PowerLaw.exponent(points([10, 10]) { $0 }) == nil)
    #expect(PowerLaw.exponent([]) == nil)
  }
}

@Suite(.ownThread) struct CrossingTests {
  private static let decades = [1.0, 10, 100, 1_000, 10_000]

  @Test func `straight lines and powers meet where their equations do`() {
    let (one, other) = (points(Self.decades) { 90 * $0 }, points(Self.decades) { 20_000 + 50 * $0 })
    #expect(isClose(Crossing.straight.width(one, other), 500))
    let (linear, square) = (points(Self.decades) { 300 * $0 }, points(Self.decades) { $0 * $0 })
    #expect(isClose(Crossing.straightInLogarithms.width(linear, square), 300))
  }

  @Test(arguments: Crossing.allCases) func `curves that meet at a point meet there`(crossing: Crossing) {
    let width = crossing.width(points([1, 10, 100]) { $0 }, points([1, 10, 100]) { $0 < 10 ? 2 * $0 : 10 })
    #expect(isClose(width, 10))
  }

  @Test(arguments: Crossing.allCases) func `curves that stay apart never meet`(crossing: Crossing) {
    #expect(crossing.width(points([1, 10]) { $0 }, points([1, 10]) { 2 * $0 }) == nil)
    #expect(crossing.width(points([1, 10]) { $0 }, points([1, 10]) { $0 }) == nil)
  }
}
