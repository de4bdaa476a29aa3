/// Why a sample that was taken is left out of every statistic.
public enum DropReason: String, Sendable, Hashable, CaseIterable, Codable {
  /// One of the first samples of a fresh process.
  case warmUp = "warm_up"
  /// Its round was disturbed from outside, so the round is left out for all contenders alike.
  case disturbed
}
