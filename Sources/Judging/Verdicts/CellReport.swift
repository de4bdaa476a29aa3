import Results
import Statistics

/// A cell's summary and what summary.csv has no column for.
public final class CellReport: Sendable, Equatable {
  /// Why a cell is not measured: a reason, and how many samples gave it.
  public struct Reason: Sendable, Equatable, Encodable {
    public let outcome: Outcome
    public let text: String
    public let samples: Int

    private enum CodingKeys: String, CodingKey { case outcome, text = "reason", samples }
  }

  public enum Standing: Sendable, Equatable {
    /// It is what the others are compared with.
    case reference
    case compared(Comparison)
    /// It is no contender.
    case externalBaseline
    /// It or the reference has no number to compare.
    case notCompared
  }

  public let summary: CellSummary
  public let standing: Standing
  /// What it takes of processor time beside the reference; nil where that is not known.
  public let processor: Comparison?
  /// Median of the first samples of fresh processes, in nanoseconds per post: what a caller pays who does it once.
  public let coldNanoseconds: Double?
  /// The most frequent first; empty if the cell is measured.
  public let reasons: [Reason]

  init(
    _ cell: CellSamples, run: String, comparison: Comparison?, processor: Comparison?, service: CellSamples?,
    rankGroup: Int?, rankProbabilities: RankProbabilities?, disturbance: ScenarioDisturbance,
    options: AnalysisOptions
  ) {
    let isReference = cell.isRankable && cell.key.contender == options.reference
    standing =
      if isReference {
        .reference
      } else if cell.isExternalBaseline {
        .externalBaseline
      } else if let comparison {
        .compared(comparison)
      } else {
        .notCompared
      }
    self.processor = processor
    coldNanoseconds = Quantiles.median(
      of: cell.all.filter { $0.round == 0 && $0.outcome == .measured && $0.dropped != .disturbed }
        .compactMap(\.wallNanoseconds).map(Double.init))
    reasons = Self.reasons(of: cell)

    var summary = CellSummary(cell, run: run)
    summary.rankGroup = rankGroup
    summary.rankProbabilities = rankProbabilities
    summary.disturbedRounds = disturbance.disturbedRounds
    summary.shipsWith = options.idioms[cell.key.contender]?.shipsWith
    summary.usualContext = options.idioms[cell.key.contender]?.completions
    summary.sourceLines = options.sourceLines[cell.key.contender]?[cell.all[0].pattern]
    switch standing {
    case .reference:
      summary.reference = options.reference
      summary.ratio = 1
      summary.overheadNanosecondsPerUpload = 0
    case .compared(let comparison):
      summary.reference = options.reference
      summary.ratio = comparison.ratio
      summary.ratioLow = comparison.interval?.lowerBound
      summary.ratioHigh = comparison.interval?.upperBound
      summary.verdict = comparison.verdict
      summary.isWithinMargin = comparison.isWithinMargin
      summary.roundsToResolve = comparison.roundsToResolve
      summary.overheadNanosecondsPerUpload = comparison.differenceNanoseconds.map { $0 / cell.uploadsPerPost }
    case .externalBaseline, .notCompared: break
    }
    if let service, !cell.isExternalBaseline, cell.outcome == .measured {
      func above(_ measure: KeyPath<CellSamples, [RoundKey: [Double]]>) -> Double? {
        let pairs = PairedSamples(candidate: cell, reference: service, of: measure)
        return Quantiles.median(of: pairs.differencesNanoseconds).map { $0 / cell.uploadsPerPost }
      }
      summary.aboveServiceNanosecondsPerUpload = above(\.wallNanosecondsByTurn)
      summary.cpuAboveServiceNanosecondsPerUpload = above(\.processorNanosecondsByTurn)
    }
    if let processor {
      summary.cpuRatio = processor.ratio
      summary.cpuRatioLow = processor.interval?.lowerBound
      summary.cpuRatioHigh = processor.interval?.upperBound
      summary.cpuVerdict = processor.verdict
    }
    if summary.verdict == .unresolved { summary.unresolvedReason = disturbance.remark }
    self.summary = summary
  }

  private static func reasons(of cell: CellSamples) -> [Reason] {
    let failures = cell.all.filter { $0.outcome != .measured }
    let grouped = failures.grouped { [$0.outcome.rawValue, $0.reason] }
    return grouped.values
      .map { samples in
        // Neutralised, so that a report says the same before the samples were written and after.
        Reason(
          outcome: samples[0].outcome,
          text: SafeText.neutralised(samples[0].reason ?? "no reason recorded"), samples: samples.count)
      }
      .ordered { SortKey(numbers: [-Double($0.samples)], last: $0.text) }
  }

  public var comparison: Comparison? {
    if case .compared(let comparison) = standing { comparison } else { nil }
  }

  public static func == (left: CellReport, right: CellReport) -> Bool {
    left.summary == right.summary && left.standing == right.standing && left.processor == right.processor
      && left.reasons == right.reasons
      && left.coldNanoseconds == right.coldNanoseconds
  }
}
