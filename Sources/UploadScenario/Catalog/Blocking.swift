extension Catalog {
  /// How many threads do blocked calls take, and what becomes of the rest of the process meanwhile?
  public static let blocking: [Scenario] = [nil, 8].map { limit in
    var scenario = Scenario(
      name: "blocking-64" + (limit.map { "-limit-\($0)" } ?? ""), pattern: .blocking, service: .blocking,
      fanOut: 64, limit: limit)
    scenario.latency = .fixed(nanoseconds: 250_000)
    return scenario
  }
}
