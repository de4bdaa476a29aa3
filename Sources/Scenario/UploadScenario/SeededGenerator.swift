/// The random number generator SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator. Any seed is valid, even 0.
  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// Draws a number in 0..<1 with 53 random bits.
  public mutating func nextUnit() -> Double { Self.unit(next()) }

  /// The number at an index of a seed's random sequence, computed without drawing the numbers before it.
  public static func value(seed: UInt64, index: Int) -> UInt64 {
    mix(seed &+ 0x9E37_79B9_7F4A_7C15 &* (UInt64(truncatingIfNeeded: index) &+ 1))
  }

  /// Converts 64 random bits to a number in 0..<1.
  public static func unit(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }

  private static func mix(_ state: UInt64) -> UInt64 {
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
