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
    Table(
      title: "The same build against itself",
      columns: [
        Table.Column("mode", isLeft: true), Table.Column("contender", isLeft: true),
        Table.Column("pairs", 7), Table.Column("spread of one", 15), Table.Column("time of one", 14),
      ],
      rows: readings.modes.flatMap { mode in
        mode.spreads.map { spread in
          Table.Row([
            Table.Cell(mode.mode.rawValue), .name(spread.contender),
            .count(spread.logRatios.count),
            Table.Cell(spread.deviation.map { CheckReport.percent($0) } ?? "unknown"),
            Table.Cell(spread.pairNanoseconds.map(NumberText.time) ?? "unknown"),
          ])
        }
      }
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
    func rows(_ findings: [DoctorFinding]) -> [Table.Row] {
      findings.map { finding in
        Table.Row(
          [
            Table.Cell(finding.severity.rawValue, finding.severity.tone), Table.Cell(finding.subject),
            Table.Cell(finding.seen ?? "not visible", .foreign),
          ], remark: finding.advice)
      }
    }
    let fine = findings.filter { $0.severity == .ok }
    var table = Table(
      columns: [
        Table.Column("", 8, isLeft: true), Table.Column("what", isLeft: true),
        Table.Column("seen", isLeft: true),
      ], rows: rows(findings.filter { $0.severity != .ok }))
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
      "contender": contender, "pairs": logRatios.count, "empty_pairs": emptyPairs, "deviation": deviation,
      "pair_ns": pairNanoseconds,
    ]
  }
}
