import Foundation
import Results
import Statistics

extension CheckReport {
  /// - Parameter isGate: whether the verdict decides if a check passes. If so, differences between the runs make it doubtful, and
  ///   contenders that the candidate did not measure are undecided instead of left out.
  public init(_ comparison: RecordedComparison, isGate: Bool) {
    let lost = comparison.notCompared.filter { $0.isLost && isGate }
    let rows =
      comparison.times + comparison.failed + comparison.counts
      + lost.map { CheckRow(key: $0.key, state: .inconclusive, reason: $0.reason) }
    let left = comparison.notCompared.filter { !lost.contains($0) }
    let doubts = comparison.differences.filter { $0.isDoubt && isGate }
    let caveats = comparison.differences.filter { !doubts.contains($0) }
    self.init(
      against: comparison.base.name, measure: "time through \(comparison.referenceWords)", rows,
      doubts: doubts.map(\.text), remark: comparison.withoutTimes,
      notes: comparison.sides + caveats.map(\.text) + NotCompared.sentences(left) + comparison.references
        + comparison.reading)
    idioms = (comparison.candidate.environment.idioms ?? [:]).merging(
      comparison.base.environment.idioms ?? [:]
    ) { known, _ in known }
  }

  /// The report of a check of a run against itself.
  public init(ofRunItself path: String, _ environment: EnvironmentRecord) {
    self.init(
      against: path, measure: "", [],
      remark: "Both are the same run, \(SafeText.neutralised(environment.run)): there is nothing to compare.")
    isOfRunItself = true
  }
}

extension RecordedComparison {
  var reading: [String] {
    let sentences: [String?] = [
      "Change: a cell's time as a multiple of that of \(referenceWords) in \(candidate.name), divided by the multiple in \(base.name), so that another machine's speed cancels. The interval is the one that decides the verdict (Holm over all cells, 1 %).",
      "Regressed and improved: the whole interval lies more than a third of the margin (\(CheckReport.percent(margin))) away from no change. Unchanged: the interval lies within the margin.",
      "Two runs of one build differ by more than the processes of one run explain. So the intervals allow each run a further deviation, \(String(format: "%.1f", betweenRuns)) times the spread of its processes.",
      varyingCounts == 0
        ? nil
        : "\(Plural.counted(varyingCounts, "count")) of \(base.name) vary from pass to pass, or come from too few iterations, and decide nothing.",
      uncounted == 0
        ? nil
        : "\(Plural.counted(uncounted, "exact count")) of \(base.name) cannot be compared with \(candidate.name), which has too few counting passes there.",
    ]
    return sentences.compactMap(\.self)
  }

  /// Why no time was compared; `nil` if at least one was.
  var withoutTimes: String? {
    guard times.isEmpty, failed.isEmpty else { return nil }
    let reasons = notCompared.map(\.reason)
    guard
      let usual = reasons.unique().max(by: { a, b in
        reasons.count { $0 == a } < reasons.count { $0 == b }
      })
    else {
      return
        "No time is compared, because the runs measured only \(reference). `check --against` measures two builds."
    }
    return reasons.unique().count > 1
      ? "No time could be compared with \(base.name). The most frequent reason is: \(usual). The others are below."
      : "No time could be compared: \(usual)."
  }

  fileprivate var referenceWords: String {
    Set(base.places.map { reference(of: $0).contender }).count > 1 ? "the reference" : reference
  }

  var references: [String] {
    let changes = referenceRatios
    guard let least = changes.min(by: { $0.ratio < $1.ratio }),
      let most = changes.max(by: { $0.ratio < $1.ratio })
    else { return [] }
    func text(_ change: (place: ScenarioKey, ratio: Double)) -> String {
      "\(CheckReport.percent(change.ratio - 1, isSigned: true)) in \(change.place)"
    }
    let listed =
      changes.count > 4 ? "\(text(least)) to \(text(most))" : changes.map(text).joined(separator: ", ")
    return [
      "\(referenceWords) itself changed by \(listed). Recorded runs cannot separate the machine from the code, so there is no verdict on it."
    ]
  }

  var sides: [String] {
    [("Base", base), ("Candidate", candidate)].map { "\($0): \($1.description)." }
      + (base.environment.run == candidate.environment.run
        && base.environment.startedAt == candidate.environment.startedAt
        ? ["Both are records of the same run: only an edited file can differ."] : [])
  }
}

extension CheckRow {
  /// Judges all times of two recorded runs together, with Holm's procedure.
  static func family(_ changes: [RecordedChange], betweenRuns: Double, margin: Double) -> [CheckRow] {
    let decisions = HolmStepDown(
      pValues: changes.map { $0.pValue(betweenRuns: betweenRuns) }, alpha: RecordedRule.familyWiseError
    ).decisions
    return zip(changes, decisions).map { change, decision in
      CheckRow(
        change,
        reach: change.reach(betweenRuns: betweenRuns, significance: decision.significance), margin: margin)
    }
  }

  private init(_ change: RecordedChange, reach: Double, margin: Double) {
    let (low, high) = (change.logRatio - reach, change.logRatio + reach)
    // A third of the margin is negligible, like in a check of two builds.
    let (relevant, negligible) = (log1p(margin), log1p(margin / 3))
    let state: State =
      if low > negligible {
        .regressed
      } else if high < -negligible {
        .improved
      } else if -relevant < low, high < relevant {
        .unchanged
      } else {
        .inconclusive
      }
    let (base, candidate) = (LogRatio.ratio(change.base.mean), LogRatio.ratio(change.candidate.mean))
    let ratios = [change.logRatio, low, high].map(LogRatio.ratio)
    let texts = ratios.map(Self.text(of:))
    let interval = Self.tooWide(low, high, of: change) ?? "\(texts[1]), \(texts[2])"
    self.init(
      key: change.key, state: state, change: "\(texts[0]) [\(interval)]",
      evidence: "\(NumberText.ratio(base)) -> \(NumberText.ratio(candidate))",
      numbers: Numbers(
        base: base, candidate: candidate, ratio: ratios[0], ratioCILow: ratios[1], ratioCIHigh: ratios[2],
        resolution: ratios[2] / ratios[0] - 1))
  }

  /// The text in place of an interval that contains both 1/2 and 2, such as `too noisy`; `nil` if the interval is narrower.
  private static func tooWide(_ low: Double, _ high: Double, of change: RecordedChange) -> String? {
    guard low < -log(2), high > log(2) else { return nil }
    let fewest = min(change.base.values.count, change.candidate.values.count)
    return fewest < RecordedRule.usualGenerations ? "too few generations" : "too noisy"
  }

  /// The change of a ratio as text: in per cent, with a decimal if the change is small, or as a factor if it is large.
  static func text(of ratio: Double) -> String {
    let share = ratio - 1
    guard abs(share) >= 0.0995 else { return CheckReport.percent(share, isSigned: true) }
    guard share < 9.995 else { return "×" + NumberText.ratio(ratio) }
    return (share > 0 ? "+" : "") + String(format: "%.0f %%", 100 * share)
  }
}
