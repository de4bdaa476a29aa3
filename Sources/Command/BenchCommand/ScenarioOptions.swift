import UploadScenario

/// The options that say what contenders are asked to do.
enum ScenarioOptions {
  static let options =
    [
      Option("--contenders", "A,B", "contenders to measure, variants by name or glob (all but variants)"),
      Option("--patterns", "P,Q", "which patterns (publish)"),
      Option("--scenario", "A,B", "scenarios by name, as `\(CommandName.current) list` shows them"),
    ] + ScenarioOption.all.map(\.option) + [seed]

  static let seed = Option("--seed", "N", "what everything random is drawn from (1)")

  /// The patterns that are asked for; nil if none is.
  static func patterns(_ options: Options) throws -> [Pattern]? {
    try options.choices("--patterns", "pattern")
  }

  /// The scenarios that are asked for; nil if nothing was, so that the caller's own default holds.
  static func scenarios(_ options: Options) throws -> [Scenario]? {
    let seed = try options.seed("--seed") ?? 1
    let given = options.firstGiven(["--patterns"] + ScenarioOption.all.map(\.option.name))
    if let names = try options.list("--scenario") {
      if let given {
        throw UsageError("--scenario and \(given) exclude each other: a named scenario has its own data.")
      }
      return try names.map { try named($0, seed: seed) }
    }
    guard given != nil else { return nil }
    let scenarios = try OwnScenarios(options, seed: seed).scenarios
    for problem in scenarios.compactMap(\.problem) { throw UsageError("\(problem).") }
    return scenarios
  }

  /// A scenario of the catalog, drawn from a seed.
  static func named(_ name: String, seed: UInt64) throws -> Scenario {
    guard var scenario = Catalog.scenario(named: name) else {
      throw UsageError.unknown("scenario", name, among: Catalog.named.map(\.name))
    }
    scenario.reseed(seed)
    return scenario
  }
}
