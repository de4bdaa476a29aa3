import UploadScenario
import UploadServices

enum ScenarioOptions {
  static let options = options(usual: "")

  /// - Parameter usual: the default scenario in parentheses, for the help. Empty for `run`, which has many.
  static func options(usual: String) -> [Option] {
    [
      Option(
        "--contenders", "A,B",
        "contenders to measure, by name or glob such as 'futures/*' (all but variants)"
      ),
      Option("--patterns", "P,Q", "which patterns (publish)"),
      Option(
        "--scenario", "A,B",
        "scenarios by name or glob such as 'publish-*', as `\(CommandName.current) list` shows them" + usual),
      contexts, seed,
    ].titled(measured) + ScenarioOption.options
  }

  static let measured = "what is measured"

  static let contexts = Option(
    "--on", "A,B",
    "where completions run: inline, queue or pool (inline); without scenarios, the core scenarios",
    words: CompletionContext.allCases.map(\.rawValue))

  static let seed = Option("--seed", "N", "seed of everything random (1)")

  static func patterns(_ options: Options) throws -> [Pattern]? {
    try options.choices("--patterns", "pattern")
  }

  static func contexts(_ options: Options) throws -> [CompletionContext]? {
    try options.choices(contexts.name, "context")
  }

  /// The scenarios that the options name or describe, or `nil` without such options.
  static func scenarios(_ options: Options) throws -> [Scenario]? {
    let scenarios = try scenariosAnywhere(options)
    guard options.has(contexts.name), let contexts = try contexts(options) else { return scenarios }
    return try (scenarios ?? Catalog.quick).flatMap { scenario in
      if scenario.context != nil {
        throw UsageError(
          "--on and \(scenario.name) exclude each other: the name says already where completions run.")
      }
      return contexts.map(scenario.on)
    }
  }

  /// The scenarios of `--full`, with `--endpoint` also those of a server.
  static func full(_ options: Options) throws -> [Scenario] {
    let others = ["--scenario", "--quick", contexts.name] + own.filter { $0 != "--endpoint" }
    if let other = options.firstGiven(others) { throw UsageError("--full and \(other) exclude each other.") }
    let scenarios = Catalog.full + (options.has("--endpoint") ? Catalog.network : [])
    return try named(scenarios.map(\.name), seed: options.seed("--seed") ?? 1).map { try $0.at(options) }
  }

  /// The options that describe a new scenario, instead of naming one.
  private static let own = ["--patterns"] + ScenarioOption.all.map(\.option.name)

  private static func scenariosAnywhere(_ options: Options) throws -> [Scenario]? {
    let seed = try options.seed("--seed") ?? 1
    if let names = try options.list("--scenario") {
      let scenarios = try named(names, seed: seed)
      let needsServer = scenarios.contains { $0.service == .http }
      if let given = options.firstGiven(own.filter { $0 != "--endpoint" || !needsServer }) {
        throw UsageError("--scenario and \(given) exclude each other: a named scenario cannot be changed.")
      }
      return try scenarios.map { try $0.at(options) }
    }
    guard options.firstGiven(own) != nil else { return nil }
    let scenarios = try OwnScenarios(options, seed: seed).scenarios
    for problem in scenarios.compactMap(\.problem) { throw UsageError("\(problem).") }
    return scenarios
  }

  /// The predefined scenarios that names and globs select.
  static func named(_ texts: [String], seed: UInt64) throws -> [Scenario] {
    // `list` does not show names such as publish-instant-100-on-queue, but the user may give them.
    let inContext = texts.filter { Catalog.scenario(named: $0)?.context != nil }
    let names = Catalog.named.map(\.name) + inContext
    return try Glob.names(texts, "scenario", among: names).compactMap(Catalog.scenario).map {
      var scenario = $0
      scenario.reseed(seed)
      return scenario
    }
  }
}

extension Scenario {
  /// The scenario with its server's endpoint, if it needs a server.
  fileprivate func at(_ options: Options) throws -> Scenario {
    guard service == .http else { return self }
    var scenario = self
    scenario.endpoint = try OwnScenarios(options, seed: seed).endpoint().url
    return scenario
  }

  /// The scenario with a number of passes over each media file, chosen so that they take ``prepareTime`` on this machine.
  func calibrated() throws -> Scenario {
    guard prepareTime != nil, let media = try Wiring.post(self).media.first else { return self }
    return try calibrated(media)
  }
}
