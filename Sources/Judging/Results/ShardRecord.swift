/// Which part of a run this one is, of so many that share its scenarios: an entry of environment.json.
public struct ShardRecord: Codable, Sendable, Hashable {
  /// From 1 to ``count``.
  public var number: Int
  public var count: Int
  /// The scenarios of each shard, by name: every scenario of the whole run stands in exactly one.
  public var scenarios: [[String]]

  public init(number: Int, count: Int, scenarios: [[String]]) {
    self.number = number
    self.count = count
    self.scenarios = scenarios
  }
}

extension ShardRecord: CustomStringConvertible {
  /// Such as `2/4`.
  public var description: String { "\(number)/\(count)" }
}
