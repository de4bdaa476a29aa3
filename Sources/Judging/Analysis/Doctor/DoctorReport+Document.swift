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
        Table.Column("pairs", width: 7), Table.Column("spread of one", width: 15),
        Table.Column("time of one", width: 14),
      ],
      rows: readings.modes.flatMap { mode in
        mode.spreads.map { spread in
          Table.Row([
            Table.Cell(mode.mode.rawValue), .name(spread.contender),
            Table.Cell(String(spread.logRatios.count)),
            Table.Cell(spread.deviation.map { CheckReport.percent($0) } ?? "unknown"),
            Table.Cell(spread.pairNanoseconds.map(Self.duration) ?? "unknown"),
          ])
        }
      }, groups: true)
  }

  private func marginTable(_ modes: [DoctorReadings.Mode]) -> Table {
    let durations = (modes.first?.resolution?.smallest ?? []).map { "in " + Self.wholeSeconds($0.seconds) }
    return Table(
      title: "The smallest slow-down that is found",
      columns: [Table.Column("mode", isLeft: true, width: 28)]
        + durations.map { Table.Column($0, width: 9) } + [Table.Column("the usual", width: 15)],
      rows: modes.map { mode in
        let usual =
          "+" + Self.percent(mode.terms.usualMargin) + " "
          + (mode.resolution?.usualSeconds.map { "in " + Self.wholeSeconds($0) } ?? "never")
        let smallest = (mode.resolution?.smallest ?? []).map {
          Table.Cell($0.margin.map { "+" + Self.percent($0) } ?? "none")
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
            .foreign(finding.seen ?? "not visible"),
          ], remark: finding.advice)
      }
    }
    let fine = findings.filter { $0.severity == .ok }
    var table = Table(
      columns: [
        Table.Column("", isLeft: true, width: 8), Table.Column("what", isLeft: true),
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

extension DoctorReport {
  /// For other programs: what is not visible is left out.
  public func json() throws -> String { try JSONText.of(DoctorDocument(self)) }
}

private struct DoctorDocument: Encodable {
  let headline: String
  let resolvesUsualMargin: Bool
  let buildConfiguration: String
  let seconds: Double
  let method: String
  let modes: [Mode]
  let findings: [DoctorFinding]
  let machine: MachineRecord
  let harnessOverheadNs: Double
  let shortestPost: ShortestPost?

  init(_ report: DoctorReport) {
    let readings = report.readings
    headline = report.headline
    resolvesUsualMargin = report.resolvesUsualMargin
    buildConfiguration = readings.isReleaseBuild ? "release" : "debug"
    seconds = readings.seconds
    method = report.method
    findings = report.findings
    machine = readings.machine
    harnessOverheadNs = readings.harnessOverheadNanoseconds
    shortestPost = readings.shortestPost.map { ShortestPost(scenario: $0.scenario, wallNs: $0.nanoseconds) }
    modes = readings.modes.map(Mode.init)
  }

  struct Mode: Encodable {
    let mode: String
    let usualMargin: Double
    let usualSeconds: Double?
    let margins: [Margin]
    let spreads: [Spread]

    init(_ mode: DoctorReadings.Mode) {
      self.mode = mode.mode.rawValue
      usualMargin = mode.terms.usualMargin
      usualSeconds = mode.resolution?.usualSeconds
      margins = mode.resolution?.smallest.map { Margin(seconds: $0.seconds, margin: $0.margin) } ?? []
      spreads = mode.spreads.map {
        Spread(
          contender: $0.contender, pairs: $0.logRatios.count, emptyPairs: $0.emptyPairs,
          deviation: $0.deviation, pairNs: $0.pairNanoseconds)
      }
    }
  }

  struct Margin: Encodable {
    let seconds: Double
    let margin: Double?
  }

  struct Spread: Encodable {
    let contender: String
    let pairs: Int
    let emptyPairs: Int
    let deviation: Double?
    let pairNs: Double?
  }

  struct ShortestPost: Encodable {
    let scenario: String
    let wallNs: Double
  }
}
