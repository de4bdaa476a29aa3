import Statistics

/// One finding about the machine by `bench doctor`.
public struct DoctorFinding: Sendable, Encodable {
  /// How severe a finding is, worst first.
  public enum Severity: String, Sendable, Hashable, Encodable, CaseIterable {
    /// The finding makes checks wrong, slow or impossible.
    case problem
    /// The finding reduces precision or disables a feature.
    case note
    case ok
  }

  public let severity: Severity
  /// The property that was examined, such as `clock`.
  public let subject: String
  /// The property's measured value; `nil` if it cannot be read on this machine.
  public let seen: String?
  /// What the user can do; `nil` if nothing needs to be done.
  public let advice: String?

  static func ok(_ subject: String, _ seen: String?) -> DoctorFinding {
    DoctorFinding(severity: .ok, subject: subject, seen: seen, advice: nil)
  }

  static func note(_ subject: String, _ seen: String, _ advice: String) -> DoctorFinding {
    DoctorFinding(severity: .note, subject: subject, seen: seen, advice: advice)
  }

  static func problem(_ subject: String, _ seen: String, _ advice: String) -> DoctorFinding {
    DoctorFinding(severity: .problem, subject: subject, seen: seen, advice: advice)
  }

  /// A finding about a value that may be unknown. Advice is given if the value is noteworthy.
  static func of<Reading>(
    _ subject: String, _ reading: Reading?, _ seen: (Reading) -> String, _ advice: String = "",
    if noteworthy: (Reading) -> Bool = { _ in false }
  ) -> DoctorFinding {
    guard let reading else { return ok(subject, nil) }
    return noteworthy(reading) ? note(subject, seen(reading), advice) : ok(subject, seen(reading))
  }

  /// A finding about a share from 0 to 1: a note above one bound, a problem above another.
  static func ofShare(
    _ subject: String, _ share: Double?, _ seen: (String) -> String, _ advice: String, from visible: Double,
    harmful: Double = .infinity
  ) -> DoctorFinding {
    guard let share else { return ok(subject, nil) }
    let seen = seen(CheckReport.percent(share))
    if share > harmful { return problem(subject, seen, advice) }
    return share > visible ? note(subject, seen, advice) : ok(subject, seen)
  }
}

extension DoctorReadings {
  var outlookFindings: [DoctorFinding] {
    failures.map { .problem("measuring", $0, "fix this error, because checks fail for the same reason") }
      + outlooks.flatMap { [same($0), margin($0)].compactMap(\.self) }
  }

  private func same(_ outlook: CheckOutlook) -> DoctorFinding? {
    let called = outlook.spreads.compactMap { spread -> String? in
      switch SequentialTest(margin: outlook.margin).verdict(of: spread.logRatios) {
      case .regressed: "\(spread.contender) is called slower"
      case .improved: "\(spread.contender) is called faster"
      case .unchanged, .inconclusive, nil: nil
      }
    }
    guard !called.isEmpty else { return nil }
    return .problem(
      outlook.subject, "against itself \(called.joined(separator: ", "))",
      "do not trust these checks on this machine now: stop other programs, and run the doctor again")
  }

  private func margin(_ outlook: CheckOutlook) -> DoctorFinding {
    let usual = "+\(NumberText.percent(outlook.margin))"
    let needed = outlook.seconds(toFind: outlook.margin)
    if let needed, outlook.isDecided {
      return .ok(outlook.subject, "a slow-down of \(usual) is found in \(DoctorReport.wholeSeconds(needed))")
    }
    // If a check cannot decide anything, that is a problem for the measure that the user chose, and a note for the other measure.
    let severity: DoctorFinding.Severity = outlook.isCost != asksForWall ? .problem : .note
    guard outlook.isKnown else {
      // The advised budget has time for 1.5 times the fewest pairs of a verdict.
      let longer = seconds * 1.5 * Double(outlook.fewestPairs) / Double(max(1, outlook.pairs))
      return DoctorFinding(
        severity: severity, subject: outlook.subject,
        seen:
          "what a check finds is unknown: only \(Plural.counted(outlook.pairs, "pair")), but a check needs at least \(outlook.fewestPairs)",
        advice: "give the doctor more time (`--budget \(Int(longer.rounded(.up)))s`)")
    }
    let ways = [
      needed.map { "give the check more time (`--budget \(Int($0.rounded(.up)))s`)" },
      outlook.smallestMargin(within: outlook.budgetSeconds).map {
        "use a larger margin (`--margin \(NumberText.percent($0).replacing(" ", with: ""))`)"
      },
      outlook.isCost ? nil : "check CPU time instead (`--measure cost`)",
    ].compactMap(\.self)
    return DoctorFinding(
      severity: severity, subject: outlook.subject,
      seen:
        "a slow-down of \(usual) is not found within the \(DoctorReport.wholeSeconds(outlook.budgetSeconds)) of a check",
      advice: ways.isEmpty ? "use a quieter machine" : ways.joined(separator: ", or "))
  }
}

extension CheckOutlook {
  fileprivate var subject: String { isCost ? "checks of CPU time" : "checks of wall time" }
}
