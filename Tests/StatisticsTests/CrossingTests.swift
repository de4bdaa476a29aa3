import Foundation
import Statistics
import TestSupport
import Testing

@Suite(.ownThread) struct CrossingTests {
  private func points(_ widths: [Double], _ time: (Double) -> Double) -> [WidthTime] {
    widths.map { WidthTime(width: $0, time: time($0)) }
  }

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
