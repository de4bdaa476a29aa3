import Foundation

/// How long to measure, where to record it, and how to print it: for whatever is measured.
struct RecordingOptions {
  /// - Parameters:
  ///   - budget: how the usual budget reads in the help.
  ///   - format: what it can be printed as.
  static func options(budget: String, format: Option) -> [Option] {
    [
      Option("--budget", "TIME", "about how long to measure (\(budget))"),
      Option("--samples", "N", "exactly N samples of each cell in each generation, whatever the budget"),
      Option("--generations", "N", "sets of fresh worker processes (6)"),
      Awake.option,
    ].titled(duration)
      + [
        Option("--output", "DIR", "where run directories go (results)"),
        Option("--name", "RUN", "the run's name (the time of its start)"),
        Option("--machine", "NAME", "what this machine is called where runs of several are merged (made up)"),
        Option("--quiet", nil, "no progress"),
        format,
        Option("--allow-debug-build", nil, "measure although this is a debug build; every output says so"),
      ].titled(output)
  }

  /// Headings of the help.
  static let duration = "for how long"
  static let output = "what is recorded and shown"

  let budgetNanoseconds: UInt64
  /// Whether the user set the budget: then it counts, even where it is too short for verdicts.
  let isBudgetGiven: Bool
  let rounds: Int?
  let generations: Int
  let seed: UInt64
  let output: String
  let name: String?
  let machine: String?
  let isAwake: Bool
  let isQuiet: Bool
  let allowsDebugBuild: Bool

  /// - Parameters:
  ///   - budgetNanoseconds: the usual one.
  ///   - generations: the usual number.
  init(_ options: Options, budgetNanoseconds: UInt64, generations: Int) throws {
    let budget = try options.duration("--budget")
    self.budgetNanoseconds = budget ?? budgetNanoseconds
    isBudgetGiven = budget != nil
    rounds = try options.integer("--samples", in: 1...100_000)
    self.generations = try options.integer("--generations", in: 1...100) ?? generations
    seed = try options.seed("--seed") ?? 1
    output = options.text("--output") ?? "results"
    name = options.text("--name")
    machine = try options.recordName("--machine")
    isAwake = options.has(Awake.option.name)
    isQuiet = options.has("--quiet")
    allowsDebugBuild = options.has("--allow-debug-build")
  }
}
