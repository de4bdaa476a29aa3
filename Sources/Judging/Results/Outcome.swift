/// How one sample ended.
///
/// A scenario that expects an error or a cancellation is `measured` when exactly that happened.
public enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
  /// The ledger equals the expectation and the sample was timed.
  case measured
  /// The contender ended with an error that the scenario does not expect, or its worker died.
  case failed
  /// The contender ended, but its ledger or its answer differs from the expectation.
  case wrong
  /// The contender had not ended when the harness stopped waiting.
  case timedOut = "timed_out"
}
