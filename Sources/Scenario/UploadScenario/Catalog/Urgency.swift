extension Catalog {
  /// Whom does an idiom serve first? A post of high priority, started behind ten thousand of low priority; and the same post
  /// at the priority of the others, which is what its own gains it.
  public static let urgency: [Scenario] = [PostPriority.high, .low].map { priority in
    var scenario = Scenario(
      name: name(.presigned, .instant, 64) + "-behind-10000" + (priority == .high ? "" : "-priority-low"),
      pattern: .presigned, service: .instant, fanOut: 64)
    scenario.behind = 10_000
    scenario.priority = priority
    return scenario
  }
}
