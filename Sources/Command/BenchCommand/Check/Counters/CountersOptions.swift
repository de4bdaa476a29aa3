import Harness
import UploadScenario

/// The file of committed counts, as the command line speaks of it.
enum CountersFile {
  static let usualPath = "results/baseline/counters.csv"

  static let scenarios = Option(
    "--scenario", "A,B",
    "in which scenarios, by name or glob (all that the file has; with --update a small one of each pattern)")

  /// - Parameter works: the options that name work.
  static func options(works: [Option]) -> [Option] {
    [
      Option("--counters", "FILE", "counts against committed ones", usually: usualPath),
      Option("--update", nil, "write what is counted to the file, and show what that changes"),
      Option("--contenders", "A,B", "whose counts (all that the file has; with --update all but variants)"),
    ] + works + [
      Option(
        "--plant-allocations", "N",
        "pretend that every upload allocates so often more, to see that it is found"
      ),
      Option("--plant-retains", "N", "pretend that every upload retains so often more"),
      Option("--allow-debug-build", nil, "check although this is a debug build"),
    ]
  }

  /// `--update` alone is of the usual file.
  static func completed(_ arguments: [String]) -> [String] {
    let isNamed = arguments.contains { $0 == "--counters" || $0.hasPrefix("--counters=") }
    return arguments.contains("--update") && !isNamed ? arguments + ["--counters"] : arguments
  }
}

/// What `bench check --counters` is told.
struct CountersOptions<Work: Workload> {
  let path: String
  let updates: Bool
  /// Whom and what the user named; nil: nobody and nothing in particular.
  let contenders: [String]?
  let scenarios: [Work]?
  let plant: PlantedWork
  let allowsDebugBuild: Bool

  init(_ options: Options, _ subjects: CheckSubjects<Work>) throws {
    // The usual file is named where the option stands alone.
    path =
      options.text("--counters").flatMap { $0 == CountersFile.usualPath ? nil : $0 } ?? subjects.usualCounts
    updates = options.has("--update")
    contenders = try subjects.named(by: options)
    scenarios = try options.list(subjects.option).map { texts in
      let names = try Glob.names(texts, subjects.noun, among: subjects.countable.map(\.name))
      return names.compactMap { name in subjects.countable.first { $0.name == name } }
    }
    plant = PlantedWork(
      allocations: try options.integer("--plant-allocations", in: 0...1_000) ?? 0,
      retains: try options.integer("--plant-retains", in: 0...1_000) ?? 0)
    allowsDebugBuild = options.has("--allow-debug-build")
    if updates, plant != PlantedWork() {
      throw UsageError("--update would write down what is only pretended.")
    }
  }
}
