/// The mixing of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
public enum SplitMix64 {
  /// From one number of a sequence to the next, before it is mixed.
  public static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Bits without a pattern that depend on these alone.
  public static func mix(_ bits: UInt64) -> UInt64 {
    var bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
