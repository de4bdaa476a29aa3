public import RuntimeTiming

/// Failures that this library itself produces.
public enum FutureError: Error, Equatable, Sendable {
  /// The last reference to the promise went away before it was answered.
  case promiseAbandoned
  /// The deadline given to `timeout` passed first.
  case timedOut
  /// `any` or `race` was given no future to choose from.
  case noFutures
  /// Every future given to `any` failed; the errors are in the order of the futures.
  case allFailed(ErrorList)

  /// Two values are equal when they are the same case; the errors inside `allFailed` are only counted.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.promiseAbandoned, .promiseAbandoned), (.timedOut, .timedOut), (.noFutures, .noFutures): true
    case (.allFailed(let left), .allFailed(let right)): left.count == right.count
    default: false
    }
  }
}
