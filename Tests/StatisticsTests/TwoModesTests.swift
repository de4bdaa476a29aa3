import Foundation
import Statistics
import TestSupport
import Testing

@Suite(.ownThread) struct TwoModesTests {
  private var generator = SeededNumbers(seed: 1)

  /// A number of the normal distribution.
  private mutating func normal() -> Double {
    (-2 * log(1 - Double.random(in: 0..<1, using: &generator))).squareRoot()
      * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
  }

  @Test(arguments: [20, 66, 300], [0.05, 0.2, 0.5])
  mutating func `one log-normal mode is never two`(count: Int, sigma: Double) {
    for _ in 0..<1_000 {
      let times = (0..<count).map { _ in exp(sigma * normal()) }
      #expect(TwoModes(times) == nil)
    }
  }

  @Test(arguments: [0.15, 0.5, 0.85], [0.02, 0.2])
  mutating func `two modes are always found, with their medians and sizes`(share: Double, sigma: Double)
    throws
  {
    for draw in 0..<1_000 {
      let (high, factor) = (Int(66 * share), draw % 2 == 0 ? 8.0 : 100)
      let times = (0..<66).map { exp(sigma * normal()) * ($0 < high ? factor : 1) }
      let modes = try #require(TwoModes(times.shuffled(using: &generator)))
      #expect(modes.lowCount == 66 - high && modes.highCount == high)
      #expect(abs(log(modes.low)) < 4 * sigma && abs(log(modes.high / factor)) < 4 * sigma)
    }
  }

  @Test func `few values, equal ones, an outlier and a small factor are one mode`() {
    #expect(TwoModes([]) == nil)
    #expect(TwoModes(Array(repeating: 1, count: 9) + Array(repeating: 100, count: 9)) == nil)
    #expect(TwoModes(Array(repeating: 7, count: 50)) == nil)
    #expect(TwoModes(Array(repeating: 7, count: 99) + [7_000]) == nil)
    #expect(TwoModes(Array(repeating: 1, count: 30) + Array(repeating: 3.9, count: 30)) == nil)
    #expect(TwoModes(Array(repeating: 0, count: 30) + Array(repeating: 3.9, count: 30)) == nil)
    let exact = TwoModes(Array(repeating: 1, count: 30) + Array(repeating: 4, count: 20))
    #expect(exact?.low == 1 && exact?.high == 4 && exact?.highCount == 20)
  }
}
