public import RuntimeTiming

/// Failures that this library itself produces.
public enum ClosureTaskError: Error, Equatable, Sendable {
  /// The closure let go of its controller without an answer, and nobody holds the run any more.
  case abandoned
  /// The deadline given to `timeout` passed first.
  case timedOut
  /// Every task given to `any` failed; the errors are in the order of the tasks.
  case allFailed(ErrorList)

  /// Two values are equal when they are the same case; the errors inside `allFailed` are only counted.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.abandoned, .abandoned), (.timedOut, .timedOut): true
    case (.allFailed(let left), .allFailed(let right)): left.count == right.count
    default: false
    }
  }
}
