extension Scenario {
  /// Draws everything random from another seed.
  public mutating func reseed(_ seed: UInt64) {
    self.seed = seed
    faults.seed = seed
    retry.seed = seed
  }
}
