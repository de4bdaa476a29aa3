import Verdicts
import Harness
import Results

/// Which cells are counted, and what the file says of them.
struct CountersPlan<Work: Workload> {
  let contenders: [String]
  let scenarios: [Work]
  /// The cells, in the order of the scenarios.
  let keys: [CellKey]
  /// What the file says of what is asked for.
  let committed: [CountRecord]
  /// What is to be said of what the file has or lacks.
  let notes: [String]
  /// What the file lacks, and so does not gate: that belongs at the top.
  let remark: String?
  private let isPartial: Bool

  /// Of what the file has for this kind of machine. If that is nothing, and something is to be compared with it, `missing`
  /// is thrown.
  init(
    _ options: CountersOptions<Work>, _ subjects: CheckSubjects<Work>, section: [CountRecord],
    missing: () -> BaselineProblem
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
        "\(options.path) has no counts of \(key.contender) in \(key.scenario). The same with --update adds them."
      )
    }
    // Who is asked for by name is not passed over.
    let asked =
      (options.contenders?.filter { !listed.contains($0) } ?? [])
      + (options.scenarios?.map(\.name).filter { !listedScenarios.contains($0) } ?? [])
    if let name = asked.first {
      throw BaselineProblem("\(options.path) has no counts of \(name). The same with --update adds them.")
    }
    keys = all.filter(has.contains)
    if keys.isEmpty {
      throw BaselineProblem("\(options.path) has none of these counts. The same with --update adds them.")
    }
    let names = options.scenarios?.map(\.name)
    committed = section.filter {
      options.contenders?.contains($0.contender) ?? true && names?.contains($0.scenario) ?? true
    }
    let absent =
      options.contenders == nil ? subjects.usualContenders.filter { !listed.contains($0) } : []
    let missing = all.filter { !has.contains($0) && listed.contains($0.contender) }
    let lacking = [
      Self.line("In this build and not in the file", absent, "--update adds what there is"),
      Self.line(
        "Counts that the file lacks", missing.map(\.description), "the same with --update adds them"),
    ].compactMap(\.self)
    remark = lacking.isEmpty ? nil : lacking.joined(separator: " ")
    let foreign = section.map(\.contender).unique().filter { !subjects.contenders.contains($0) }
    // Whoever names contenders wants to hear of no others.
    notes =
      options.contenders != nil
      ? []
      : [Self.line("In the file and not in this build", foreign, "--update takes them out")]
        .compactMap(\.self)
  }

  private static func line(_ start: String, _ names: [String], _ end: String) -> String? {
    let others = names.count > mostNames ? " and \(names.count - mostNames) more" : ""
    return names.isEmpty
      ? nil : "\(start): \(names.prefix(mostNames).joined(separator: ", "))\(others); \(end)."
  }

  private static var mostNames: Int { 8 }

  /// The section as it is to be written, in place of an old one: what was counted now, and what was not asked for as it is.
  ///
  /// What was found to vary once stays so, however often it repeats now, and its range grows by what is next to it;
  /// whoever takes out its row has it tried anew.
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
