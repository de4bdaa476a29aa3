/// Repeatable random draws: the same seed gives the same ones everywhere (G. L. Steele and others' SplitMix64, 2014).
struct SeededDraws {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// One of 0..<`count`; the high half of a product, so no value is likelier by more than `count` ÷ 2^64.
  mutating func next(below count: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)).multipliedFullWidth(by: UInt64(count)).high)
  }
}
