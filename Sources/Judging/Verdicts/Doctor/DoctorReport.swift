import Foundation
import Results

/// What the doctor says of a machine. Everything follows from the readings.
public struct DoctorReport: Sendable {
  public let readings: DoctorReadings
  /// The worst first.
  public let findings: [DoctorFinding]

  public init(_ readings: DoctorReadings) {
    self.readings = readings
    let all =
      readings.buildFindings + readings.modeFindings + readings.disturbanceFindings + readings.clockFindings
      + readings.machineFindings + readings.toolFindings
    findings = DoctorFinding.Severity.allCases.flatMap { severity in all.filter { $0.severity == severity } }
  }

  /// Whether a check that is told nothing but what to measure is decided within its budget.
  public var resolvesUsualMargin: Bool {
    readings.mode(ofCost: !readings.asksForWall)?.resolvesUsualMargin ?? false
  }

  /// The sentences at the top; they follow from the modes.
  public var headline: String {
    [sentence(ofCost: !readings.asksForWall), sentence(ofCost: readings.asksForWall), counts]
      .compactMap(\.self).joined(separator: " ")
  }

  private func sentence(ofCost isCost: Bool) -> String? {
    let what = isCost ? "of CPU time" : "of wall time"
    let isAsked = isCost != readings.asksForWall
    guard let mode = readings.mode(ofCost: isCost), let resolution = mode.resolution else {
      // What was asked for must be answered.
      return isAsked ? "What this machine can find \(what) is not known." : nil
    }
    let subject = isAsked ? "This machine" : "It"
    let usual = "+\(NumberText.percent(mode.terms.usualMargin)) \(what)"
    if let seconds = resolution.usualSeconds, mode.resolvesUsualMargin {
      return "\(subject) can find \(usual) in \(Self.wholeSeconds(seconds))."
    }
    let least =
      resolution.smallestWithinBudget.map { ": the least it can is +\(NumberText.percent($0))" }
      ?? (mode.terms.tests.last.map { ", nor anything up to +\(NumberText.percent($0.margin))" } ?? "")
    return "\(subject) cannot find \(usual) in \(Self.wholeSeconds(mode.terms.budgetSeconds))\(least)."
  }

  private var counts: String? {
    let counts = [(DoctorFinding.Severity.problem, "problem"), (.note, "note")].compactMap { severity, noun in
      let count = findings.count { $0.severity == severity }
      return count == 0 ? nil : Plural.counted(count, noun)
    }
    return counts.isEmpty ? nil : "\(counts.joined(separator: ", "))."
  }

  /// Such as `8 s`, never less than it takes.
  static func wholeSeconds(_ seconds: Double) -> String { "\(max(1, Int(seconds.rounded(.up)))) s" }

  /// How the margins come about, in a sentence.
  var method: String {
    let cells = readings.modes.first?.terms.cells ?? 0
    return
      "The smallest margin at which 95 of 100 simulated checks of \(Plural.counted(cells, "cell")) find and confirm a slow-down of it in one cell, and call the others unchanged; the test is the real one, and its pairs spread and last as those measured."
  }
}

/// What was measured and read of a machine: all that the doctor judges by.
public struct DoctorReadings: FilledRecord {
  /// Pairs of one and the same build, taken in one way.
  public struct Mode: Sendable {
    public let mode: DoctorMode
    public let spreads: [Spread]
    /// What was done with a check that measures so.
    public let terms: Resolution.Terms
    /// nil: there were too few pairs to know.
    public let resolution: Resolution?

    public init(_ mode: DoctorMode, _ spreads: [Spread], _ terms: Resolution.Terms, _ resolution: Resolution?)
    {
      self.mode = mode
      self.spreads = spreads
      self.terms = terms
      self.resolution = resolution
    }
  }

  /// A post that lasts no longer than any other.
  public struct ShortestPost: Sendable, Equatable, Encodable {
    public let scenario: String
    public let wallNanoseconds: Double

    public init(scenario: String, wallNanoseconds: Double) {
      (self.scenario, self.wallNanoseconds) = (scenario, wallNanoseconds)
    }
  }

  public var machine = MachineRecord()
  public var isReleaseBuild = false
  /// What a check measures unless it is told otherwise comes first.
  public var modes: [Mode] = []
  /// Whether it is wall times that this is about, not cost.
  public var asksForWall = false
  public var harnessOverheadNanoseconds = 0.0
  public var shortestPost: ShortestPost?
  /// What could not be measured and why, a sentence each.
  public var failures: [String] = []
  public var seconds = 0.0

  public init() {}

  /// How a check of cost or of wall times measures on this machine; nil: it was not tried.
  func mode(ofCost isCost: Bool) -> Mode? { modes.first { $0.mode.isCost == isCost } }
}

extension DoctorReadings.Mode {
  /// Whether a check that is told nothing else is decided within its budget.
  var resolvesUsualMargin: Bool {
    resolution?.usualSeconds.map { $0 <= terms.budgetSeconds } ?? false
  }
}

/// A way to measure both builds of a check: what of them, and where they are placed.
public enum DoctorMode: String, Sendable, Hashable, CaseIterable {
  case costOnOneProcessor = "cost on one processor"
  case costAsIs = "cost as is"
  case wallAtRealTime = "wall at real-time priority"
  case wallAsIs = "wall as is"

  /// Processor time; otherwise time on the clock.
  public var isCost: Bool { self == .costOnOneProcessor || self == .costAsIs }
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
