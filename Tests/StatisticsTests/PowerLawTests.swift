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
