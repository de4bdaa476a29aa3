/// Failures that this library itself produces.
public enum ClosureTaskError: Error, Equatable, Sendable {
  /// The closure let go of its controller without an answer, and nobody holds the run any more.
  case abandoned
  /// The deadline given to `timeout(after:)` passed first.
  case timedOut
}
