/// What can go wrong with waiting.
public enum CoroutineError: Error, Sendable, Hashable {
  /// What was awaited let go of its completion without calling it: it will never come.
  case dropped
  /// It took longer than it was given.
  case timedOut
}
