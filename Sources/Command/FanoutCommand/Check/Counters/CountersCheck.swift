import Foundation
import Harness
import Results
import Verdicts

/// Checks whether any work allocates or retains more than a committed file of counts says. The comparison is exact.
enum CountersCheck: SubjectCheck {
  static func report<Work: Workload>(
    _ options: Options, _ subjects: CheckSubjects<Work>, _ output: CheckOutput
  ) throws -> CheckReport {
    let options = try CountersOptions(options, subjects)
    guard Environment.isReleaseBuild || (options.allowsDebugBuild && !options.updates) else {
      throw UsageError(
        "this is a debug build, whose work allocates and retains more often than that of a release build. Run `swift run -c release \(CommandName.current) check`."
      )
    }
    let turns = Turns.best
    guard let key = CountKey.here(turns: turns.name) else {
      throw BaselineProblem(
        "counts depend on the toolchain, but `swift --version` does not name it. Put the toolchain on the path; if it is there, run that command and fix its error."
      )
    }
    let isThere = FileManager.default.fileExists(atPath: options.path)
    guard isThere || options.updates else {
      throw BaselineProblem("\(options.path) does not exist. \(subjects.update(options.path)) writes it.")
    }
    let file = try file(options.path)
    let plan = try CountersPlan(options, subjects, section: file.rows(of: key)) {
      missing(key, among: file.keys, turns, options.path, subjects.update(options.path))
    }
    // Counting takes long, so an unwritable file or an outdated build is refused before.
    if options.updates {
      try file.checkWritable()
      if let remark = BuildAge.remark { throw UsageError(remark) }
    }
    let session = CountersSession(
      plan, options, turns, workerOption: subjects.workerOption, progress: output.progress)
    try session.run()
    return options.updates
      ? try update(file, key, plan, session) : session.report(against: plan.committed, file: options.path)
  }

  private static func file(_ path: String) throws -> CountsFile {
    FileManager.default.fileExists(atPath: path) ? try CountsFile(path) : CountsFile(newAt: path)
  }

  static func missing(
    _ key: CountKey, among keys: [CountKey], _ turns: Turns, _ path: String, _ update: String
  ) -> any CommandError {
    let others = keys.map(\.description).joined(separator: "; ")
    // The file may have counts for this machine with real-time priority. So the error says how to permit real-time priority.
    let advice = keys.isEmpty ? nil : turns.advice
    let text =
      "\(path) has no counts of \(key)\(others.isEmpty ? "" : ", only of \(others)"). "
      + [advice, "\(update) adds them."].compactMap(\.self).joined(separator: " ")
    return keys.isEmpty ? BaselineProblem(text) : Undecidable(description: text)
  }

  /// Writes the new counts to the file, if the controls have passed and any count has changed.
  private static func update<Work>(
    _ file: CountsFile, _ key: CountKey, _ plan: CountersPlan<Work>, _ session: CountersSession<Work>
  ) throws -> CheckReport {
    func committed(_ section: [CountRecord]) -> [CountRecord] {
      section.filter { plan.keys.contains($0.cell) }
    }
    let counted = plan.section(key, from: file.rows(of: key), counted: session.cells)
    let report = session.report(against: committed(counted), file: file.path)
    guard report.verdict == .passed else { return report }
    let folder = file.missingFolder.map { "The folder \($0) was not there and has been created." }
    try file.createFolder()
    let lock = try FileLock(folderOf: file.path, isInterrupted: { Interruption.isRequested })
    defer { lock.release() }
    // Reads the file again, because another process may have updated it during the counting.
    let file = try Self.file(file.path)
    let old = file.rows(of: key)
    let section = plan.section(key, from: old, counted: session.cells)
    let (oldText, newText) = (file.text(), try file.text(replacing: key, with: section))
    if oldText != newText { try file.write(newText) }
    return session.report(
      against: committed(section), file: file.path,
      diff: Self.diff(from: oldText, to: newText, path: file.path),
      remark: Self.written(from: old, to: section, per: Work.iterationName),
      notes: [folder].compactMap(\.self))
  }

  /// The removed lines, and then the added lines.
  static func diff(from old: String, to new: String, path: String) -> String {
    let difference = new.split(separator: "\n").difference(from: old.split(separator: "\n"))
    if difference.isEmpty { return "" }
    let lines = (difference.removals + difference.insertions).map { change in
      switch change {
      case .remove(_, let line, _): "-\(line)\n"
      case .insert(_, let line, _): "+\(line)\n"
      }
    }
    return "--- \(path)\n+++ \(path)\n" + lines.joined()
  }

  private static func written(from old: [CountRecord], to new: [CountRecord], per iteration: String) -> String
  {
    let before = old.byCell
    let changed = new.reduce(0) { sum, row in
      sum + CountedQuantity.allCases.count { row[$0] != before[row.cell]?[$0] }
    }
    let sentence =
      changed == 0
      ? "The file has them already."
      : "Written: \(Plural.counted(changed, "count")) that the file did not have."
    return [sentence, loosened(from: old, to: new, per: iteration)].compactMap(\.self).joined(separator: " ")
  }

  /// A sentence about counts that were exact before and now are ranges. A reader of the diff might overlook them.
  static func loosened(from old: [CountRecord], to new: [CountRecord], per iteration: String) -> String? {
    let new = new.byCell
    let counts = old.flatMap { row in
      CountedQuantity.allCases.filter { quantity in
        guard let now = new[row.cell], row[quantity]?.isExact == true else { return false }
        return now[quantity]?.isExact != true
      }.map { "\(row.cell), \($0.name(per: iteration))" }
    }
    guard let first = counts.first else { return nil }
    let others = counts.count > 1 ? " (and \(counts.count - 1) more)" : ""
    return
      "Some counts now differ between \(iteration)s and are no longer checked exactly: \(first)\(others). On an idle machine, they may be equal."
  }
}

/// How a counting worker's threads share the processors. The more strictly they alternate, the more counts are the same in every pass.
struct Turns {
  let name: String
  let placement: Placement

  /// How the user can make more counts exact.
  var advice: String? {
    if case .inTurn = placement { return nil }
    return
      "Fewer counts are exact, because threads run without real-time priority and interrupt each other. To allow real-time priority, use CAP_SYS_NICE (`docker run --cap-add SYS_NICE`) or `ulimit -r 1`, and install chrt of util-linux."
  }

  static var best: Turns {
    let last = Placement.lastProcessor
    let all = [
      last.map { Turns(name: "real-time", placement: .inTurn($0)) },
      last.map { Turns(name: "batch", placement: .oneProcessor($0)) },
    ]
    return all.compactMap(\.self).first { $0.placement.isPermitted }
      ?? Turns(name: "free", placement: .anywhere)
  }
}

enum CountersFile {
  static let usualPath = "results/baseline/counters.csv"

  static let scenarios = Option(
    "--scenario", "A,B",
    "scenarios to count, by name or glob (all that the file has; with --update a small one of each pattern)")

  static func options(works: [Option]) -> [Option] {
    [
      Option("--counters", "FILE", "the file of committed counts", usually: usualPath),
      Option("--update", nil, "write the counts to the file, and show what changed"),
      Option(
        "--contenders", "A,B",
        "contenders to count, by name or glob (all that the file has; with --update those of a run)"),
    ] + works + [
      Option(
        "--plant-allocations", "N",
        "inject N more allocations into every unit of work, to test the check"),
      Option("--plant-retains", "N", "inject N more retains into every unit of work"),
      Option("--allow-debug-build", nil, "check with a debug build"),
    ]
  }

  /// The arguments, with `--counters` added if only `--update` is given.
  static func completed(_ arguments: [String]) -> [String] {
    let isNamed = arguments.contains { $0 == "--counters" || $0.hasPrefix("--counters=") }
    return arguments.contains("--update") && !isNamed ? arguments + ["--counters"] : arguments
  }
}

struct CountersOptions<Work: Workload> {
  let path: String
  let updates: Bool
  /// The contenders that the user named. `nil` means the default ones.
  let contenders: [String]?
  let scenarios: [Work]?
  let plant: PlantedWork
  let allowsDebugBuild: Bool

  init(_ options: Options, _ subjects: CheckSubjects<Work>) throws {
    // Scenarios and operations have different default files. The parser fills in that of scenarios, which is replaced here.
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
      throw UsageError("--update and --plant-allocations or --plant-retains exclude each other.")
    }
  }
}

/// The contenders and scenarios to count, with their rows of the committed file.
struct CountersPlan<Work: Workload> {
  let contenders: [String]
  let scenarios: [Work]
  let keys: [CellKey]
  let committed: [CountRecord]
  let notes: [String]
  /// A sentence for the top of the report about contenders and scenarios that are missing in the committed file.
  let remark: String?
  private let isPartial: Bool

  /// - Parameter missing: returns the error for a committed file without rows for this kind of machine.
  init(
    _ options: CountersOptions<Work>, _ subjects: CheckSubjects<Work>, section: [CountRecord],
    missing: () -> any CommandError
  ) throws {
    isPartial = options.contenders != nil || options.scenarios != nil
    guard options.updates || !section.isEmpty else { throw missing() }
    let (listed, listedScenarios) = (Set(section.map(\.contender)), Set(section.map(\.scenario)))
    contenders =
      options.contenders
      ?? (options.updates ? subjects.usualContenders : subjects.contenders.filter(listed.contains))
    scenarios =
      options.scenarios
      ?? (options.updates
        ? subjects.usuallyCounted : subjects.countable.filter { listedScenarios.contains($0.name) })
    let all = subjects.cells(of: contenders, in: scenarios)
    let has = Set(section.map(\.cell))
    if options.updates {
      (keys, committed, notes, remark) = (all, [], [], nil)
      return
    }
    if options.contenders != nil, options.scenarios != nil, let key = all.first(where: { !has.contains($0) })
    {
      throw BaselineProblem(
        "\(options.path) has no counts of \(key.contender) in \(key.scenario). Add them with --update."
      )
    }
    let unlisted =
      options.contenders?.first { !listed.contains($0) }
      ?? options.scenarios?.map(\.name).first { !listedScenarios.contains($0) }
    if let name = unlisted {
      throw BaselineProblem("\(options.path) has no counts of \(name). Add them with --update.")
    }
    keys = all.filter(has.contains)
    if keys.isEmpty {
      throw BaselineProblem("\(options.path) has none of these counts. Add them with --update.")
    }
    let names = options.scenarios?.map(\.name)
    committed = section.filter {
      options.contenders?.contains($0.contender) ?? true && names?.contains($0.scenario) ?? true
    }
    let absent =
      options.contenders == nil ? subjects.usualContenders.filter { !listed.contains($0) } : []
    let missing = all.filter { !has.contains($0) && listed.contains($0.contender) }
    let lacking = [
      Self.line("In this build and not in the file", absent, "--update adds them"),
      Self.line(
        "Counts that the file lacks", missing.map(\.description), "add them with --update"),
    ].compactMap(\.self)
    remark = lacking.isEmpty ? nil : lacking.joined(separator: " ")
    let foreign = section.map(\.contender).unique().filter { !subjects.contenders.contains($0) }
    notes =
      options.contenders != nil
      ? []
      : [Self.line("In the file and not in this build", foreign, "--update removes them")]
        .compactMap(\.self)
  }

  private static func line(_ start: String, _ names: [String], _ end: String) -> String? {
    let others = names.count > mostNames ? " and \(names.count - mostNames) more" : ""
    return names.isEmpty
      ? nil : "\(start): \(names.prefix(mostNames).joined(separator: ", "))\(others); \(end)."
  }

  private static var mostNames: Int { 8 }

  /// The rows to write for this kind of machine. Rows that were not counted now stay. A range stays a range and may widen, until the user
  /// removes its row.
  func section(_ key: CountKey, from section: [CountRecord], counted cells: [CountedCell]) -> [CountRecord] {
    let old = section.byCell
    let new = cells.map { cell in
      var row = CountRecord()
      row.key = key
      row.contender = cell.key.contender
      row.scenario = cell.key.scenario
      for quantity in CountedQuantity.allCases {
        row[quantity] = cell.commitment(to: quantity, joining: old[cell.key]?[quantity])
      }
      return row
    }
    guard isPartial else { return new }
    let counted = new.byCell
    return section.map { counted[$0.cell] ?? $0 } + new.filter { old[$0.cell] == nil }
  }
}
