import Results

/// How many of a scenario's rounds were disturbed from outside.
public struct ScenarioDisturbance: Sendable, Hashable {
  /// All that were taken, warm-up aside.
  public let rounds: Int
  /// Those that were dropped, for all contenders alike.
  public let disturbedRounds: Int
  /// Whether too many were dropped to decide anything: what is left is what the disturbance left, no longer a sample of
  /// the machine's time.
  public let isTooDisturbed: Bool

  init(_ samples: [Sample], mostDisturbedShare: Double) {
    let taken = samples.filter { $0.dropped != .warmUp }
    let disturbed = Set(taken.filter { $0.dropped == .disturbed }.map(RoundKey.init)).count
    rounds = Set(taken.map(RoundKey.init)).count
    disturbedRounds = disturbed
    isTooDisturbed = Double(disturbed) > mostDisturbedShare * Double(rounds)
  }

  /// Why nothing is decided; nil if something may be.
  public var reason: String? {
    isTooDisturbed
      ? "too disturbed: \(disturbedRounds) of \(Plural.counted(rounds, "round")) dropped" : nil
  }
}
