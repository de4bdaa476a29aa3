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
