/// Shortens pauses at random, so that those who failed together do not try again together.
///
/// The random part comes from a seed, so that a run can be repeated: it depends on the seed and the pause's
/// number alone.
public struct Jitter: Sendable, Hashable {
  /// The largest share of a pause that is taken off: 0 for none, 1 for pauses from zero up.
  public let share: Double
  /// The same seed shortens the same pauses alike.
  public let seed: UInt64

  /// Traps when `share` is not in 0...1.
  public init(share: Double, seed: UInt64 = .random(in: .min ... .max)) {
    precondition((0...1).contains(share), "jitter takes off a share, from 0 to 1")
    self.share = share
    self.seed = seed
  }

  /// What is left of the pause with this number.
  public func shortened(_ pause: Duration, number: Int) -> Duration { pause * (1 - share * random(number)) }

  /// From 0 up to 1: position `number` of the seed's sequence in SplitMix64 (Steele, Lea and Flood, 2014).
  private func random(_ number: Int) -> Double {
    var z = seed &+ UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    z ^= z >> 31
    return Double(z >> 11) * 0x1p-53
  }
}
