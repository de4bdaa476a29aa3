import Foundation
import Harness
import Statistics
import UploadScenario

/// Everything that `bench check` is told.
struct CheckOptions {
  static let options = [
    Option("--against", "BUILD", "the other build: an executable, or a commit, which is built first"),
    Option("--contenders", "A,B", "whom to check, variants by name or glob (all but variants)"),
    Option(
      "--scenario", "A,B",
      "in which scenarios, as `\(CommandName.current) list` shows them (\(usualScenario))"),
    Option("--measure", "cost|wall", "processor time, or time on the clock (cost)"),
    Option("--margin", "SHARE", "the smallest slow-down that must be found (3% of cost, 5% of wall)"),
    Option("--budget", "TIME", "at most about so long, without building (120s)"),
    Option("--seed", "N", "what everything random is drawn from (1)"),
    Option("--inconclusive", "fail|pass", "whether what is not decided fails the check (fail)"),
    Option("--fail-on-improvement", nil, "exit 2, too, if something costs less"),
    Option(
      "--plant", "SHARE", "pretend that this build is slower by so much, to see what the check makes of it"),
    Option("--plant-in", "A,B", "only in these contenders or scenarios (in all)"),
    Option("--format", "FORMAT", "text, markdown, json or github on standard output (text)"),
    Option("--quiet", nil, "no progress"),
    Option("--allow-debug-build", nil, "check although this is a debug build"),
  ]

  enum Format: String, CaseIterable { case text, markdown, json, github }

  private static let usualScenario = "publish-instant-100"

  let against: String
  let contenders: [any Contender]
  let scenarios: [Scenario]
  let measure: DuetPlan<Scenario>.Measure
  /// As a share of 1.
  let margin: Double
  let budgetNanoseconds: UInt64
  let seed: UInt64
  let inconclusiveFails: Bool
  let improvementFails: Bool
  let plant: Plant?
  let format: Format
  let isQuiet: Bool
  let allowsDebugBuild: Bool

  init(_ arguments: [String], known: ContenderList) throws {
    let options = try Options(arguments, known: Self.options)
    guard let against = options.text("--against") else {
      throw UsageError(
        "check needs --against BUILD: an executable of another build, or a commit such as HEAD~1.")
    }
    self.against = against
    contenders = try known.chosen(by: options)
    seed = try options.seed("--seed") ?? 1
    scenarios = try (options.list("--scenario") ?? [Self.usualScenario]).map { [seed] name in
      guard var scenario = Catalog.scenario(named: name) else {
        throw UsageError.unknown("scenario", name, among: Catalog.standard.map(\.name))
      }
      scenario.reseed(seed)
      return scenario
    }
    measure =
      try options.choice("--measure", among: ["cost", "wall"]).flatMap(DuetPlan.Measure.init) ?? .cost
    margin = try Self.share(options, "--margin") ?? (measure == .cost ? 0.03 : 0.05)
    plant = try Self.plant(options, contenders.map(\.name), scenarios.map(\.name))
    budgetNanoseconds = try options.duration("--budget") ?? 120_000_000_000
    inconclusiveFails = try options.choice("--inconclusive", among: ["fail", "pass"]) != "pass"
    improvementFails = options.has("--fail-on-improvement")
    format =
      try options.choice("--format", among: Format.allCases.map(\.rawValue)).flatMap(Format.init) ?? .text
    isQuiet = options.has("--quiet")
    allowsDebugBuild = options.has("--allow-debug-build")
  }

  /// `5%` or `0.05`.
  private static func share(_ options: Options, _ name: String) throws -> Double? {
    guard let text = options.text(name) else { return nil }
    let share = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
    guard let share, (0.001...1).contains(share) else {
      throw UsageError("\(name) “\(text)”: give a share from 0.1% to 100%, such as 3%.")
    }
    return share
  }

  private static func plant(_ options: Options, _ contenders: [String], _ scenarios: [String]) throws
    -> Plant?
  {
    let names = try options.list("--plant-in")
    guard let share = try share(options, "--plant") else {
      if names != nil { throw UsageError("--plant-in says where: say how much, with --plant.") }
      return nil
    }
    for name in names ?? [] where !contenders.contains(name) && !scenarios.contains(name) {
      throw UsageError.unknown("contender or scenario", name, among: contenders + scenarios)
    }
    func chosen(_ known: [String]) -> Set<String>? {
      let named = Set(names ?? []).intersection(known)
      return named.isEmpty ? nil : named
    }
    return Plant(share: share, contenders: chosen(contenders), scenarios: chosen(scenarios))
  }

  /// A third of what must be found is as good as nothing.
  var test: SequentialTest {
    SequentialTest(SequentialTest.Rule(negligible: log1p(margin / 3), relevant: log1p(margin)))
  }
}
