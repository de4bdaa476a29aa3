import Results

/// Compares the costs of contenders if completions run on the service's thread, on a queue or on a pool. The row `service` shows what it
/// costs to move completions there.
struct ContextOverview: Sendable {
  /// One scenario, measured in several contexts.
  struct Group: Sendable {
    let scenario: String
    /// The contexts in the order in which the user gave them, with their reports.
    let contexts: [(name: String, report: ScenarioReport)]
  }

  let reference: String
  let groups: [Group]

  /// Returns `nil` if no scenario of the run sets where completions run.
  init?(_ analysis: RunAnalysis) {
    let reports = analysis.scenarios.filter { $0.context != nil }
    guard !reports.isEmpty else { return nil }
    reference = analysis.reference
    groups = reports.compactMap(\.nameWithoutContext).unique().map { name in
      Group(
        scenario: name,
        contexts: reports.filter { $0.nameWithoutContext == name }.compactMap { report in
          report.context.map { ($0, report) }
        })
    }
  }

  var blocks: [Document.Block] {
    [.paragraphs(groups.compactMap(sentence))] + groups.map { .table(table($0)) }
  }

  /// A sentence such as `publish-instant-1000: an upload takes 281 ns inline and 420 ns on a queue with callbacks.`
  private func sentence(_ group: Group) -> String? {
    let times = group.contexts.compactMap { name, report in
      report.cell(of: reference)?.summary.nanosecondsPerUpload.map {
        "\(NumberText.duration($0)) \(Self.place(name))"
      }
    }
    guard !times.isEmpty else { return nil }
    let own = group.contexts.compactMap { name, report in
      report.cell(of: ExternalBaseline.service)?.summary.nanosecondsPerUpload.map {
        "\(NumberText.duration($0)) \(Self.place(name))"
      }
    }
    let others = group.contexts.compactMap { name, report -> String? in
      let ratios = report.cells.filter { $0.summary.verdict.map { $0 != .unresolved } ?? false }
        .compactMap(\.summary.ratio)
      guard let least = ratios.min(), let most = ratios.max() else { return nil }
      let range = [least, most].map(NumberText.ratio).unique().joined(separator: " to ")
      return "\(range) \(Self.place(name))"
    }
    return [
      "\(group.scenario): an upload takes \(times.listed) with \(reference).",
      own.isEmpty ? nil : "The service alone takes \(own.listed).",
      others.isEmpty ? nil : "The others take, relative to \(reference): \(others.listed).",
    ].compactMap(\.self).joined(separator: " ")
  }

  private static func place(_ context: String) -> String { context == "inline" ? context : "on a \(context)" }

  private func table(_ group: Group) -> Table {
    typealias Field = Table.Field<String>
    let contenders = group.contexts.flatMap { _, report in report.cells.map(\.summary.contender) }.unique()
    let rows = contenders.ordered { contender in
      SortKey(
        numbers: [contender == ExternalBaseline.service ? 0 : contender == reference ? 1 : 2]
          + group.contexts.map { $0.report.cell(of: contender)?.summary.ratio ?? .infinity }, last: contender)
    }
    let fields =
      [
        Field("contender", 18, isLeft: true) { name in
          .name(
            name, shipsWith: group.contexts.compactMap { $0.report.cell(of: name)?.summary.shipsWith }.first)
        }
      ]
      + group.contexts.flatMap { name, report in
        [
          Field("time", 9, above: name) { .duration(report.cell(of: $0)?.summary.nanosecondsPerUpload) },
          Field("ratio", 6, above: name) {
            Self.ratio(report.cell(of: $0)) { ($0.summary.ratio, $0.summary.verdict) }
          },
          Field("cpu", 5, above: name) {
            Self.ratio(report.cell(of: $0)) { ($0.processor?.ratio, $0.processor?.verdict) }
          },
        ]
      }
    return Table(
      title: "\(group.scenario): time of an upload, and against \(reference) in that context",
      fields, rows
    ).with {
      if rows.contains(where: { row in group.contexts.contains { $0.report.cell(of: row) == nil } }) {
        $0.notes = ["-: the contender does not implement the pattern."]
      }
    }
  }

  /// The ratio as a table cell: `?` before an undecided ratio, `-` if it was not measured.
  private static func ratio(
    _ cell: CellReport?, _ comparison: (CellReport) -> (ratio: Double?, verdict: Verdict?)
  ) -> Table.Cell {
    guard let cell else { return "-" }
    if cell.standing == .reference { return "1.00" }
    let (ratio, verdict) = comparison(cell)
    return Table.Cell(ratio.map { (verdict == .unresolved ? "?" : "") + NumberText.ratio($0) } ?? "")
  }
}

extension ScenarioReport {
  func cell(of contender: String) -> CellReport? { cells.first { $0.summary.contender == contender } }

  var nameWithoutContext: String? {
    guard let context else { return nil }
    let ending = "-on-\(context)"
    return name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
  }
}
