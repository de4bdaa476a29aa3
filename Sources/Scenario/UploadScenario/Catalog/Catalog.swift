/// Every scenario that has a name, by the question it answers. Adding one: a row in its question's file.
public enum Catalog {
  /// What `bench run` measures unless it is told otherwise.
  public static let standard: [Scenario] =
    overhead + efficiency + resilience + blocking + failure + cancellation

  /// What `bench run --quick` measures: few enough for verdicts in ten seconds.
  public static let quick: [Scenario] = [
    "publish-instant-1", "publish-instant-100", "publish-instant-1000", "publish-latency-100",
  ]
  .compactMap(scenario)

  /// Those that can be asked for by name: what takes too long to be measured unasked, too.
  public static let named: [Scenario] = standard + load + urgency

  /// The scenario of ``named`` that is called so; nil if there is none.
  public static func scenario(named name: String) -> Scenario? { named.first { $0.name == name } }

  /// The scenario's name says all that is not the default.
  static func name(_ pattern: Pattern, _ service: ServiceKind, _ fanOut: Int, limit: Int? = nil) -> String {
    "\(pattern.rawValue)-\(service.rawValue)-\(fanOut)" + (limit.map { "-limit-\($0)" } ?? "")
  }
}
