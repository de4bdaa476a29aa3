import Foundation
import Results

/// The findings of `bench doctor` about a machine, computed from measured values and system settings.
public struct DoctorReport: Sendable {
  public let readings: DoctorReadings
  /// The findings, worst first.
  public let findings: [DoctorFinding]

  public init(_ readings: DoctorReadings) {
    self.readings = readings
    let all =
      readings.buildFindings + readings.outlookFindings + readings.disturbanceFindings + [readings.clock]
      + readings.machineFindings + readings.toolFindings
    findings = DoctorFinding.Severity.allCases.flatMap { severity in all.filter { $0.severity == severity } }
  }

  /// Whether a check of the chosen measure with default options is decided within its budget.
  public var resolvesUsualMargin: Bool { readings.outlook(ofCost: !readings.asksForWall)?.isDecided ?? false }

  /// The sentences at the top of the report.
  public var headline: String {
    [sentence(ofCost: !readings.asksForWall), sentence(ofCost: readings.asksForWall), counts]
      .compactMap(\.self).joined(separator: " ")
  }

  private func sentence(ofCost isCost: Bool) -> String? {
    let what = isCost ? "of CPU time" : "of wall time"
    let isAsked = isCost != readings.asksForWall
    guard let outlook = readings.outlook(ofCost: isCost), outlook.isKnown else {
      // The headline always has a sentence about the measure that the user chose.
      return isAsked ? "Which changes \(what) this machine can find is unknown." : nil
    }
    let subject = isAsked ? "This machine" : "It"
    let usual = "+\(NumberText.percent(outlook.margin)) \(what)"
    if let seconds = outlook.seconds(toFind: outlook.margin), outlook.isDecided {
      return "\(subject) can find \(usual) in \(Self.wholeSeconds(seconds))."
    }
    let least =
      outlook.smallestMargin(within: outlook.budgetSeconds).map {
        ": the least it can is +\(NumberText.percent($0))"
      } ?? ", nor anything up to +50 %"
    return "\(subject) cannot find \(usual) in \(Self.wholeSeconds(outlook.budgetSeconds))\(least)."
  }

  private var counts: String? {
    let counts = [(DoctorFinding.Severity.problem, "problem"), (.note, "note")].compactMap { severity, noun in
      let count = findings.count { $0.severity == severity }
      return count == 0 ? nil : Plural.counted(count, noun)
    }
    return counts.isEmpty ? nil : "\(counts.joined(separator: ", "))."
  }

  /// The duration in whole seconds, rounded up, such as `8 s`.
  static func wholeSeconds(_ seconds: Double) -> String { "\(max(1, Int(seconds.rounded(.up)))) s" }

  var method: String {
    "95 of 100 checks find and confirm that one of \(Plural.counted(readings.outlooks.first?.cells ?? 0, "cell")) is slower by this much, and call the others unchanged. Estimated from pairs of this build with itself."
  }
}

/// The measured values and system settings that the findings are computed from.
public struct DoctorReadings: FilledRecord {
  public var machine = MachineRecord()
  public var isReleaseBuild = false
  /// The estimates for checks of processor time and of wall time.
  public var outlooks: [CheckOutlook] = []
  /// Whether the user chose wall time rather than CPU time.
  public var asksForWall = false
  public var harnessOverheadNanoseconds = 0.0
  /// Sentences that say what could not be measured, and why.
  public var failures: [String] = []
  public var seconds = 0.0

  public init() {}

  func outlook(ofCost isCost: Bool) -> CheckOutlook? { outlooks.first { $0.isCost == isCost } }
}

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

  /// The budgets, in seconds, for which a table shows the smallest margins.
  private static let budgets = [10.0, 60, 300]

  private var measured: [Document.Block] {
    typealias Field = Table.Field<CheckOutlook>
    func margin(_ outlook: CheckOutlook, _ seconds: Double) -> Table.Cell {
      guard outlook.isKnown else { return "unknown" }
      return Table.Cell(
        outlook.smallestMargin(within: seconds).map { "+" + NumberText.percent($0) } ?? "none")
    }
    if readings.outlooks.isEmpty { return [] }
    let fields =
      [
        Field("measure", 28, isLeft: true) { Table.Cell($0.measure) }, Field("pairs", 7) { .count($0.pairs) },
        Field("spread", 9) {
          .number($0.spreads.compactMap(\.pairs.deviation).max()) { CheckReport.percent($0) }
        },
      ] + Self.budgets.map { seconds in Field("in \(Self.wholeSeconds(seconds))", 9) { margin($0, seconds) } }
    return [
      .table(Table(title: "The smallest slow-down that a check finds", fields, readings.outlooks)),
      .list([method]),
    ]
  }

  /// Noteworthy findings come first. A Markdown page folds the others; a terminal leaves out unknown values.
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
  /// The report as JSON for other programs. Unknown values are left out.
  public var jsonObject: JSONObject {
    [
      "headline": headline, "resolves_usual_margin": resolvesUsualMargin,
      "build_configuration": readings.isReleaseBuild ? "release" : "debug", "seconds": readings.seconds,
      "method": method, "modes": readings.outlooks.map(Self.json), "findings": findings,
      "machine": readings.machine, "harness_overhead_ns": readings.harnessOverheadNanoseconds,
    ]
  }

  private static func json(_ outlook: CheckOutlook) -> JSONObject {
    [
      "mode": outlook.measure, "usual_margin": outlook.margin,
      "usual_seconds": outlook.seconds(toFind: outlook.margin),
      "margins": budgets.map {
        ["seconds": $0, "margin": outlook.smallestMargin(within: $0)] as JSONObject
      },
      "spreads": outlook.spreads.map {
        [
          "contender": $0.contender, "pairs": $0.logRatios.count, "empty_pairs": $0.pairs.empty,
          "deviation": $0.pairs.deviation, "pair_ns": $0.pairNanoseconds,
        ] as JSONObject
      },
    ]
  }
}
