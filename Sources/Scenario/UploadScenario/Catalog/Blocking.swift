extension Catalog {
  /// How many threads do blocked calls and work for the processor take, and what becomes of the rest of the process
  /// meanwhile?
  public static let blocking: [Scenario] = blockedCalls + [preparation]

  private static let blockedCalls: [Scenario] = [nil, 8].map { limit in
    var scenario = Scenario(
      name: "blocking-64" + (limit.map { "-limit-\($0)" } ?? ""), pattern: .blocking, service: .blocking,
      fanOut: 64, limit: limit)
    scenario.latency = .fixed(nanoseconds: 250_000)
    return scenario
  }

  private static let preparation: Scenario = {
    var scenario = Scenario(
      name: "presigned-instant-64-prepare-4", pattern: .presigned, service: .instant, fanOut: 64)
    scenario.preparePasses = 4
    return scenario
  }()
}
