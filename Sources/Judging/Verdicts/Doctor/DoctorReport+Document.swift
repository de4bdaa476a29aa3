import Results

extension DoctorReport {
  public var document: Document {
    let warnings = readings.isReleaseBuild ? [] : ["debug build: these figures say nothing"]
    let hidden = findings.filter { $0.seen == nil }.map(\.subject)
    return Document(
      title: resolvesUsualMargin ? "Fit for checks" : "Not fit for checks",
      [.warnings(warnings), .paragraphs([headline], .strong)] + measured
        + [
          .table(findingTable),
          .only(
            .terminal,
            [
              .list(hidden.isEmpty ? [] : ["Not visible here: " + hidden.joined(separator: ", ") + "."]),
              .paragraphs(["  " + Self.wholeSeconds(readings.seconds) + " in all"]),
            ]),
        ])
  }

  private var measured: [Document.Block] {
    let modes = readings.modes.filter { $0.resolution != nil }
    return (readings.modes.isEmpty ? [] : [.table(spreadTable)])
      + (modes.isEmpty ? [] : [.table(marginTable(modes)), .list([method])])
  }

  private var spreadTable: Table {
    typealias Field = Table.Field<(mode: DoctorMode, spread: Spread)>
    return Table(
      title: "The same build against itself",
      [
        Field("mode", isLeft: true) { Table.Cell($0.mode.rawValue) },
        Field("contender", isLeft: true) { .name($0.spread.contender) },
        Field("pairs", 7) { .count($0.spread.logRatios.count) },
        Field("spread of one", 15) {
          Table.Cell($0.spread.deviation.map { CheckReport.percent($0) } ?? "unknown")
        },
        Field("time of one", 14) { Table.Cell($0.spread.pairNanoseconds.map(NumberText.time) ?? "unknown") },
      ], readings.modes.flatMap { mode in mode.spreads.map { (mode.mode, $0) } }
    ).with { $0.groups = true }
  }

  private func marginTable(_ modes: [DoctorReadings.Mode]) -> Table {
    let durations = (modes.first?.resolution?.smallest ?? []).map { "in " + Self.wholeSeconds($0.seconds) }
    return Table(
      title: "The smallest slow-down that is found",
      columns: [Table.Column("mode", 28, isLeft: true)]
        + durations.map { Table.Column($0, 9) } + [Table.Column("the usual", 15)],
      rows: modes.map { mode in
        let usual =
          "+" + NumberText.percent(mode.terms.usualMargin) + " "
          + (mode.resolution?.usualSeconds.map { "in " + Self.wholeSeconds($0) } ?? "never")
        let smallest = (mode.resolution?.smallest ?? []).map {
          Table.Cell($0.margin.map { "+" + NumberText.percent($0) } ?? "none")
        }
        return Table.Row([Table.Cell(mode.mode.rawValue)] + smallest + [Table.Cell(usual)])
      })
  }

  /// What needs attention first; a page folds the rest, and a terminal leaves out what is not visible.
  private var findingTable: Table {
    let fields = [
      Table.Field<DoctorFinding>("", 8, isLeft: true) { Table.Cell($0.severity.rawValue, $0.severity.tone) },
      Table.Field("what", isLeft: true) { Table.Cell($0.subject) },
      Table.Field("seen", isLeft: true) { Table.Cell($0.seen ?? "not visible", .foreign) },
    ]
    func rows(_ findings: [DoctorFinding]) -> [Table.Row] { Table(fields, findings, remark: \.advice).rows }
    let fine = findings.filter { $0.severity == .ok }
    var table = Table(fields, findings.filter { $0.severity != .ok }, remark: \.advice)
    table.folds = [
      Table.Fold(summary: "\(fine.count) without a remark", rows: rows(fine.filter { $0.seen != nil })),
      Table.Fold(summary: "not visible", rows: rows(fine.filter { $0.seen == nil }), isPageOnly: true),
    ]
    table.remarkTitle = "what to do"
    table.hasCommands = true
    return table
  }
}

extension DoctorFinding.Severity {
  fileprivate var tone: Document.Tone {
    switch self {
    case .problem: .bad
    case .note: .strong
    case .ok: .faint
    }
  }
}

extension DoctorReport: JSONEncodable {
  /// For other programs: what is not visible is left out.
  public var jsonObject: JSONObject {
    [
      "headline": headline, "resolves_usual_margin": resolvesUsualMargin,
      "build_configuration": readings.isReleaseBuild ? "release" : "debug", "seconds": readings.seconds,
      "method": method, "modes": readings.modes, "findings": findings, "machine": readings.machine,
      "harness_overhead_ns": readings.harnessOverheadNanoseconds, "shortest_post": readings.shortestPost,
    ]
  }
}

extension DoctorReadings.Mode: JSONEncodable {
  public var jsonObject: JSONObject {
    [
      "mode": mode.rawValue, "usual_margin": terms.usualMargin, "usual_seconds": resolution?.usualSeconds,
      "margins": resolution?.smallest ?? [], "spreads": spreads,
    ]
  }
}

extension Spread: JSONEncodable {
  public var jsonObject: JSONObject {
    [
      "contender": contender, "pairs": logRatios.count, "empty_pairs": pairs.empty, "deviation": deviation,
      "pair_ns": pairNanoseconds,
    ]
  }
}
