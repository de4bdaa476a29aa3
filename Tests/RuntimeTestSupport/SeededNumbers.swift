import Foundation

/// Repeatable random numbers for simulations (Box and Muller for normal ones).
package struct SeededNumbers {
  private var generator: SeededGenerator

  package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// From 0 up to 1.
  package mutating func uniform() -> Double { Double(generator.next() >> 11) * 0x1p-53 }

  package mutating func normal() -> Double {
    (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform())
  }
}
