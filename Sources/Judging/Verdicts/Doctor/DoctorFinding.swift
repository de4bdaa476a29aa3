import Statistics

/// One thing that the doctor looked at.
public struct DoctorFinding: Sendable, Encodable {
  /// The worst comes first.
  public enum Severity: String, Sendable, Hashable, Encodable, CaseIterable {
    /// It makes checks wrong, slow or impossible.
    case problem
    /// It costs precision, or something that one may want.
    case note
    case ok
  }

  public let severity: Severity
  /// What was looked at, such as `clock`.
  public let subject: String
  /// What was seen; nil: the machine does not show it.
  public let seen: String?
  /// What to do about it; nil: nothing needs to be done.
  public let advice: String?

  /// Nothing needs to be done, or nothing is visible.
  static func ok(_ subject: String, _ seen: String?) -> DoctorFinding {
    DoctorFinding(severity: .ok, subject: subject, seen: seen, advice: nil)
  }

  static func note(_ subject: String, _ seen: String, _ advice: String) -> DoctorFinding {
    DoctorFinding(severity: .note, subject: subject, seen: seen, advice: advice)
  }

  static func problem(_ subject: String, _ seen: String, _ advice: String) -> DoctorFinding {
    DoctorFinding(severity: .problem, subject: subject, seen: seen, advice: advice)
  }

  /// What is said of a reading that may be hidden, and when the advice is due.
  static func of<Reading>(
    _ subject: String, _ reading: Reading?, _ seen: (Reading) -> String, _ advice: String = "",
    if noteworthy: (Reading) -> Bool = { _ in false }
  ) -> DoctorFinding {
    guard let reading else { return ok(subject, nil) }
    return noteworthy(reading) ? note(subject, seen(reading), advice) : ok(subject, seen(reading))
  }

  /// What is said of a share of 1: worth a word from one bound on, harmful from another.
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

/// What checks can and cannot find here.
extension DoctorReadings {
  var modeFindings: [DoctorFinding] {
    failures.map { .problem("measuring", $0, "fix it: a check fails of it, too") }
      + modes.flatMap { [same($0), margin($0)].compactMap(\.self) }
  }

  /// Whether the build is called changed against itself.
  private func same(_ mode: Mode) -> DoctorFinding? {
    guard let test = mode.terms.tests.first(where: { $0.margin == mode.terms.usualMargin })?.test else {
      return nil
    }
    let called = mode.spreads.compactMap { spread -> String? in
      switch test.verdict(of: spread.logRatios) {
      case .regressed: "\(spread.contender) is called slower"
      case .improved: "\(spread.contender) is called faster"
      case .unchanged, .inconclusive, nil: nil
      }
    }
    guard !called.isEmpty else { return nil }
    return .problem(
      mode.mode.rawValue, "against itself \(called.joined(separator: ", "))",
      "trust no check of this kind here: let the machine come to rest, and ask again")
  }

  private func margin(_ mode: Mode) -> DoctorFinding {
    guard let resolution = mode.resolution else { return unknown(mode) }
    let usual = "+\(NumberText.percent(mode.terms.usualMargin))"
    if let seconds = resolution.usualSeconds, mode.resolvesUsualMargin {
      let seen = "\(usual) is found in \(DoctorReport.wholeSeconds(seconds))"
      return .ok(mode.mode.rawValue, isUsed(mode) ? seen : Self.unused(seen))
    }
    let seen =
      "\(usual) is not found within the \(DoctorReport.wholeSeconds(mode.terms.budgetSeconds)) of a check"
    return remark(mode, seen, ways(mode, resolution).joined(separator: ", or "))
  }

  private func unknown(_ mode: Mode) -> DoctorFinding {
    let pairs = mode.spreads.map(\.logRatios.count).min() ?? 0
    let seen =
      "what it finds is not known: \(Plural.counted(pairs, "pair")), and a check decides on no fewer than \(mode.terms.fewestPairs)"
    // So much longer that half as many again should be there.
    let longer = seconds * 1.5 * Double(mode.terms.fewestPairs) / Double(max(1, pairs))
    return remark(mode, seen, "give the doctor longer (`--budget \(Int(longer.rounded(.up)))s`)")
  }

  /// What stands in the way of what was asked for is a problem; of what no check does here it is nothing.
  private func remark(_ mode: Mode, _ seen: String, _ advice: String) -> DoctorFinding {
    guard isUsed(mode) else { return .ok(mode.mode.rawValue, Self.unused(seen)) }
    return mode.mode.isCost != asksForWall
      ? .problem(mode.mode.rawValue, seen, advice) : .note(mode.mode.rawValue, seen, advice)
  }

  private func isUsed(_ mode: Mode) -> Bool { self.mode(ofCost: mode.mode.isCost)?.mode == mode.mode }

  /// What is all right about it comes first: that it does not matter.
  private static func unused(_ seen: String) -> String {
    "no check measures so here, where a better way is permitted (\(seen))"
  }

  /// How to come to a verdict all the same.
  private func ways(_ mode: Mode, _ resolution: Resolution) -> [String] {
    var ways: [String] = []
    if let seconds = resolution.usualSeconds {
      ways.append("give it longer (`--budget \(Int(seconds.rounded(.up)))s`)")
    }
    if let margin = resolution.smallestWithinBudget {
      ways.append("ask for less (`--margin \(NumberText.percent(margin).replacing(" ", with: ""))`)")
    }
    if !mode.mode.isCost { ways.append("check CPU time instead (`--measure cost`)") }
    return ways.isEmpty ? ["use a quieter machine"] : ways
  }
}
