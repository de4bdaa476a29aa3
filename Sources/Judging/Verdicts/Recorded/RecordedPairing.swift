import Foundation
import Results
import Statistics

/// Matches the samples of two runs by contender and scenario, and gives a reason for those without a match.
extension RecordedComparison {
  mutating func pair(_ key: CellKey) {
    if ExternalBaseline.contains(key.contender) { return }
    guard let old = base.cells[key] else { return leaveOut(key, "only in \(candidate.name)") }
    guard let new = candidate.cells[key] else { return leaveOut(key, "only in \(base.name)", isLost: true) }
    if let difference = Self.difference(old.all[0], new.all[0]) {
      return leaveOut(key, "the scenarios differ, \(difference)", isLost: true)
    }
    guard old.isRankable else { return leaveOut(key, "no valid time in \(base.name): \(Self.why(old))") }
    guard new.isRankable else {
      if new.outcome == .measured {
        return leaveOut(key, "no valid time in \(candidate.name): \(Self.why(new))", isLost: true)
      }
      return failed.append(CheckRow(key: key, state: .failed, reason: Self.why(new)))
    }
    let about = candidate.environment.scenarios?[key.scenario]
    let iteration = about?.unit == nil ? "post" : "iteration"
    for quantity in CountedQuantity.allCases where old.all.contains(where: { quantity.count(of: $0) != nil })
    {
      guard let before = CountedCell(recorded: old, quantity)?.exact(quantity) else {
        varyingCounts += 1
        continue
      }
      guard let after = CountedCell(recorded: new, quantity),
        let row = CheckRow(after, quantity, against: .exact(before))
      else {
        uncounted += 1
        continue
      }
      counts.append(row.per(iteration))
    }
    if key != reference(of: key.place) { compare(key, old, new) }
  }

  private mutating func compare(_ key: CellKey, _ old: CellSamples, _ new: CellSamples) {
    let referenceKey = reference(of: key.place)
    for run in [base, candidate] where run.cells[referenceKey]?.isRankable != true {
      return leaveOut(
        key,
        "\(run.name) has no time of the reference \(referenceKey.contender) there (--reference takes another)",
        isLost: true)
    }
    guard let oldReference = base.cells[referenceKey], let newReference = candidate.cells[referenceKey] else {
      return
    }
    let change = RecordedChange(
      key: key, base: GenerationRatios(old, to: oldReference),
      candidate: GenerationRatios(new, to: newReference))
    let fewest = min(change.base.values.count, change.candidate.values.count)
    guard fewest >= RecordedRule.fewestGenerations else {
      let run = change.base.values.count == fewest ? base : candidate
      return leaveOut(
        key,
        "\(Plural.counted(fewest, "generation")) with undisturbed rounds in \(run.name), but a verdict needs \(RecordedRule.fewestGenerations): \(Self.remedy(run.environment))",
        isLost: true)
    }
    changes.append(change)
  }

  private static func remedy(_ environment: EnvironmentRecord) -> String {
    if let end = environment.earlyEnd { return "that run \(end)" }
    return environment.commandLine.contains("--quick")
      ? "record without --quick" : "record with --generations 6 and a longer --budget"
  }

  private mutating func leaveOut(_ key: CellKey, _ reason: String, isLost: Bool = false) {
    notCompared.append(NotCompared(key: key, reason: reason, isLost: isLost))
  }

  /// The ratio of the reference's own times in both runs, which depends on machine and code; `nil` if a time is missing.
  func referenceRatio(_ key: CellKey) -> Double? {
    guard let old = base.cells[key], let new = candidate.cells[key],
      let before = SampleLevel.lowQuarter.of(old.wallNanoseconds), before > 0,
      let after = SampleLevel.lowQuarter.of(new.wallNanoseconds)
    else { return nil }
    return after / before
  }

  /// The first property in which two scenarios of one name differ, as text; `nil` if all are equal.
  private static func difference(_ old: Sample, _ new: Sample) -> String? {
    zip(old.scenarioFacts, new.scenarioFacts).first { $0 != $1 }
      .map { "\($0.column) was \($0.value) and is \($1.value)" }
  }

  private static func why(_ cell: CellSamples) -> String {
    guard let failure = cell.all.first(where: { $0.outcome == cell.outcome && $0.outcome != .measured })
    else { return "every round was disturbed" }
    return SafeText.neutralised(failure.reason ?? failure.outcome.rawValue)
  }
}

/// A contender in a scenario that two runs cannot compare, for example because only one measured it.
public struct NotCompared: Sendable, Equatable {
  public let key: CellKey
  /// The reason without a subject, such as `only in results/a`.
  public let reason: String
  /// Whether the base has a time that the candidate lacks.
  public let isLost: Bool

  /// One sentence for each reason. It names either the contenders or the scenarios, whichever are fewer.
  static func sentences(_ left: [NotCompared]) -> [String] {
    left.inGroups(by: \.reason).map { left in
      let cells = left.map(\.key)
      let names = [cells.map(\.contender).unique(), cells.map(\.place.description).unique()]
      let fewest = names.min { $0.count < $1.count } ?? []
      return "\(fewest.joined(separator: ", ")) (\(Plural.counted(cells.count, "cell"))): \(left[0].reason)."
    }
  }
}
