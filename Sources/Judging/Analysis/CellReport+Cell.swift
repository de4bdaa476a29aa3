import Results
import Statistics

extension CellReport {
  init(
    _ cell: Cell, run: String, comparison: Comparison?, rankGroup: Int?,
    rankProbabilities: RankProbabilities?, disturbance: ScenarioDisturbance, options: AnalysisOptions
  ) {
    let isReference = cell.isRankable && cell.key.contender == options.reference
    standing =
      if isReference {
        .reference
      } else if cell.isExternalBaseline {
        .externalBaseline
      } else if let comparison, comparison.pairs > 0 {
        .compared(comparison)
      } else {
        .notCompared
      }
    coldNanoseconds = Quantiles.median(
      of: cell.all.filter { $0.round == 0 && $0.outcome == .measured && $0.dropped != .disturbed }
        .compactMap(\.wallNanoseconds).map(Double.init))
    reasons = Self.reasons(of: cell)

    var summary = CellSummary(cell, run: run)
    summary.rankGroup = rankGroup
    summary.rankProbabilities = rankProbabilities
    summary.disturbedRounds = disturbance.disturbedRounds
    summary.sourceLines = options.sourceLines[cell.key.contender]?[cell.all[0].pattern]
    switch standing {
    case .reference:
      summary.reference = options.reference
      summary.ratio = 1
      summary.overheadNanosecondsPerUpload = 0
    case .compared(let comparison):
      summary.reference = options.reference
      summary.ratio = comparison.ratio
      summary.ratioLow = comparison.ratioLow
      summary.ratioHigh = comparison.ratioHigh
      summary.verdict = comparison.verdict
      summary.isWithinMargin = comparison.isWithinMargin
      summary.roundsToResolve = comparison.roundsToResolve
      summary.overheadNanosecondsPerUpload = comparison.differenceNanoseconds.map { $0 / cell.uploadsPerPost }
    case .externalBaseline, .notCompared: break
    }
    if let reason = disturbance.reason, standing != .reference, standing != .externalBaseline,
      cell.outcome == .measured
    {
      summary.verdict = .unresolved
      summary.unresolvedReason = reason
    }
    self.summary = summary
  }

  private static func reasons(of cell: Cell) -> [Reason] {
    let failures = cell.all.filter { $0.outcome != .measured }
    let grouped = Dictionary(grouping: failures) { [$0.outcome.rawValue, $0.reason] }
    return grouped.values
      .map { samples in
        // Neutralised, so that a report says the same before the samples were written and after.
        Reason(
          outcome: samples[0].outcome,
          text: SafeText.neutralised(samples[0].reason ?? "no reason recorded"), samples: samples.count)
      }
      .sorted { (-$0.samples, $0.text) < (-$1.samples, $1.text) }
  }
}
