import Harness
import UploadScenario

/// What `bench check --counters` is told.
struct CountersOptions {
  static let usualPath = "results/baseline/counters.csv"

  static let options = [
    Option("--counters", "FILE", "counts against committed ones", usually: usualPath),
    Option("--update", nil, "write what is counted to the file, and show what that changes"),
    Option("--contenders", "A,B", "whose counts (all that the file has; with --update all but variants)"),
    Option(
      "--scenario", "A,B",
      "in which scenarios, by name or glob (all that the file has; with --update a small one of each pattern)"
    ),
    Option(
      "--plant-allocations", "N", "pretend that every upload allocates so often more, to see that it is found"
    ),
    Option("--plant-retains", "N", "pretend that every upload retains so often more"),
    Option("--allow-debug-build", nil, "check although this is a debug build"),
  ]

  let path: String
  let updates: Bool
  /// Whom and what the user named; nil: nobody and nothing in particular.
  let contenders: [any Contender]?
  let scenarios: [Scenario]?
  let plant: PlantedWork
  let allowsDebugBuild: Bool

  init(_ options: Options, known: ContenderList) throws {
    path = options.text("--counters") ?? Self.usualPath
    updates = options.has("--update")
    contenders = options.has("--contenders") ? try known.chosen(by: options) : nil
    scenarios = try options.list("--scenario").map { texts in
      let names = try Glob.names(texts, "scenario", among: Self.known.map(\.name))
      return names.compactMap { name in Self.known.first { $0.name == name } }
    }
    plant = PlantedWork(
      allocations: try options.integer("--plant-allocations", in: 0...1_000) ?? 0,
      retains: try options.integer("--plant-retains", in: 0...1_000) ?? 0)
    allowsDebugBuild = options.has("--allow-debug-build")
    if updates, plant != PlantedWork() {
      throw UsageError("--update would write down what is only pretended.")
    }
  }

  /// `--update` alone is of the usual file.
  static func completed(_ arguments: [String]) -> [String] {
    let isNamed = arguments.contains { $0 == "--counters" || $0.hasPrefix("--counters=") }
    return arguments.contains("--update") && !isNamed ? arguments + ["--counters"] : arguments
  }

  /// Those that are counted by themselves, and all others that have a name.
  static let known =
    Catalog.counting
    + Catalog.standard.filter { scenario in !Catalog.counting.contains { $0.name == scenario.name } }
}
