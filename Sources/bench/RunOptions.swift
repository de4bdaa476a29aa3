import Foundation
import UploadScenario

/// Everything that `bench run` is told.
struct RunOptions {
  static let options =
    ScenarioOptions.options + [
      Option("--budget", "TIME", "about how long to measure (60s)"),
      Option("--samples", "N", "exactly N samples of each cell in each generation, whatever the budget"),
      Option("--generations", "N", "sets of fresh worker processes (6)"),
      Option("--reference", "NAME", "whom ratios and overheads are taken against (callbacks)"),
      Option("--output", "DIR", "where run directories go (results)"),
      Option("--name", "RUN", "the run's name (the time of its start)"),
      Option("--quick", nil, "a first look in about ten seconds: two generations, four scenarios"),
      Option("--quiet", nil, "no progress"),
      Option("--format", "FORMAT", "table, markdown, csv or json on standard output (table)"),
      Option("--allow-debug-build", nil, "measure although this is a debug build; every output says so"),
    ]

  enum Format: String, CaseIterable { case table, markdown, csv, json }

  let contenders: [String]
  let scenarios: [Scenario]
  let budgetNanoseconds: UInt64
  let rounds: Int?
  let generations: Int
  let seed: UInt64
  let reference: String
  let output: String
  let name: String?
  let isQuiet: Bool
  let format: Format
  let allowsDebugBuild: Bool

  init(_ arguments: [String], known: [String]) throws {
    let options = try Options(arguments, known: Self.options)
    let isQuick = options.has("--quick")
    contenders = try ScenarioOptions.contenders(options, known: known)
    scenarios =
      try ScenarioOptions.scenarios(options) ?? (isQuick ? Catalog.quick : Catalog.standard)
    budgetNanoseconds = try options.duration("--budget") ?? (isQuick ? 10_000_000_000 : 60_000_000_000)
    rounds = try options.integer("--samples", in: 1...100_000)
    generations = try options.integer("--generations", in: 1...100) ?? (isQuick ? 2 : 6)
    seed = try options.seed("--seed") ?? 1
    reference = try Self.reference(options, contenders: contenders, known: known)
    output = options.text("--output") ?? "results"
    name = options.text("--name")
    isQuiet = options.has("--quiet")
    format =
      try options.choice("--format", among: Format.allCases.map(\.rawValue)).flatMap(Format.init) ?? .table
    allowsDebugBuild = options.has("--allow-debug-build")
  }

  /// The floor, unless it is not measured: then the first contender that is.
  private static func reference(_ options: Options, contenders: [String], known: [String]) throws -> String {
    let floor = contenders.first { $0 == known.first } ?? contenders[0]
    guard let reference = options.text("--reference") else { return floor }
    guard known.contains(reference) else { throw UsageError.unknown("contender", reference, among: known) }
    guard contenders.contains(reference) else {
      throw UsageError("--reference \(reference) is not measured: add it to --contenders.")
    }
    return reference
  }
}
