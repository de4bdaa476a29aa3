/// How long to wait before each further attempt.
public struct Backoff: Sendable {
  /// The wait before the second attempt.
  public var first: Duration
  /// What each wait is multiplied by to give the next; one that is negative or no number counts as 0.
  public var factor: Double
  /// No wait is longer than this.
  public var longest: Duration

  /// No wait at all.
  public static let none = Backoff(first: .zero, factor: 1, longest: .zero)

  /// Waits that double up to half a minute, unless the other two say more.
  public init(first: Duration, factor: Double = 2, longest: Duration = .seconds(30)) {
    self.first = first
    self.factor = factor
    self.longest = longest
  }

  /// The wait after that many failed attempts, from 1.
  public func delay(afterFailure count: Int) -> Duration {
    var delay = first
    // Attempts without a wait would otherwise take the square of their number.
    for _ in 1..<max(count, 1) {
      guard delay > .zero, delay < longest else { break }
      // The product may be more than a duration can be.
      let next = longest / delay <= factor ? longest : delay * (factor > 0 ? factor : 0)
      if next == delay { break }
      delay = next
    }
    return min(delay, longest)
  }
}
