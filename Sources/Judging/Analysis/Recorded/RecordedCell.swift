import Foundation
import Statistics

/// A cell of two recorded runs, judged.
public struct RecordedCell: Sendable, Equatable {
  public let key: CellKey
  public let state: CheckRow.State
  /// The time as a ratio to the reference's, in either run.
  public let baseRatio: Double
  public let candidateRatio: Double
  /// Of the candidate's ratio to the base's, with its interval at the level of the family.
  public let ratio: Double
  public let ratioLow: Double
  public let ratioHigh: Double
  /// Sets of fresh processes in either run.
  public let baseGenerations: Int
  public let candidateGenerations: Int

  /// Judges all cells of a comparison as one family, by Holm.
  ///
  /// - Parameter betweenRuns: what each run adds, as a multiple of its generations' spread.
  static func family(_ changes: [RecordedChange], betweenRuns: Double, margin: Double) -> [RecordedCell] {
    let decisions = HolmStepDown(
      pValues: changes.map { $0.pValue(betweenRuns: betweenRuns) }, alpha: RecordedRule.familyWiseError
    ).decisions
    return zip(changes, decisions).map { change, decision in
      RecordedCell(
        change,
        reach: change.reach(betweenRuns: betweenRuns, significance: decision.significance), margin: margin)
    }
  }

  private init(_ change: RecordedChange, reach: Double, margin: Double) {
    key = change.key
    baseRatio = LogRatio.ratio(change.base.mean)
    candidateRatio = LogRatio.ratio(change.candidate.mean)
    ratio = LogRatio.ratio(change.logRatio)
    let (low, high) = (change.logRatio - reach, change.logRatio + reach)
    ratioLow = LogRatio.ratio(low)
    ratioHigh = LogRatio.ratio(high)
    baseGenerations = change.base.values.count
    candidateGenerations = change.candidate.values.count
    // As in a check of two builds, a third of what matters is as good as nothing.
    let (relevant, negligible) = (log1p(margin), log1p(margin / 3))
    state =
      if low > negligible {
        .regressed
      } else if high < -negligible {
        .improved
      } else if -relevant < low, high < relevant {
        .unchanged
      } else {
        .inconclusive
      }
  }
}
