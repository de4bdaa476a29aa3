/// How long to wait before each retry: pauses that double up to a maximum, shortened at random.
///
/// Without jitter, all that failed together would try again together. The random part comes from a seed, so
/// that a run can be repeated: the pause depends on the seed and the retry's number alone.
public struct Backoff: Sendable, Hashable {
  public var base: Duration
  public var maximum: Duration
  /// The largest share of a pause that may be taken off: 0 for none, 1 for pauses from zero up.
  public var jitter: Double
  public var seed: UInt64

  /// Traps when `base` is negative or `jitter` is not in 0...1.
  public init(
    base: Duration, maximum: Duration = .seconds(60), jitter: Double = 0,
    seed: UInt64 = .random(in: .min ... .max)
  ) {
    precondition(base >= .zero, "a pause can not be negative")
    precondition((0...1).contains(jitter), "jitter is a share, from 0 to 1")
    self.base = base
    self.maximum = maximum
    self.jitter = jitter
    self.seed = seed
  }

  /// The pause before retry `number`, from 1.
  public func pause(before number: Int) -> Duration {
    let whole = min(maximum, base * (1 << min(number - 1, 30)))
    return jitter == 0 ? whole : whole * (1 - jitter * random(number))
  }

  /// A number from 0 up to 1: SplitMix64 (Steele, Lea and Flood, 2014) at position `number` of the seed's sequence.
  private func random(_ number: Int) -> Double {
    var z = seed &+ UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    z ^= z >> 31
    return Double(z >> 11) * 0x1p-53
  }
}
