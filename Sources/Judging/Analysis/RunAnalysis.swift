import Results

/// What the samples of a run amount to.
///
/// Dropped samples and cells that are not measured are left out of every number, and counted.
public struct RunAnalysis: Sendable, Hashable {
  public let run: String
  public let reference: String
  /// In the order in which the run took them up.
  public let scenarios: [ScenarioReport]
  /// Cells without any sample.
  public let missing: [CellKey]
  public let sampleCount: Int
  public let droppedSamples: [DropReason: Int]
  /// Sets of fresh processes that have a sample that counts.
  public let generations: Int
  /// How time grows with the fan-out, where several scenarios differ in nothing else.
  public let growth: GrowthReport
  /// The fewest pairs with which the strictest comparison of this run can be decided at all.
  public let fewestPairs: Int
  /// As ``AnalysisOptions/equivalenceMargin``.
  public let equivalenceMargin: Double
  /// As ``AnalysisOptions/mostDisturbedShare``.
  public let mostDisturbedShare: Double

  /// The rows of summary.csv.
  public var summaries: [CellSummary] { scenarios.flatMap { $0.cells.map(\.summary) } }

  /// All cells whose contender failed, hung or was wrong.
  public var failed: [CellReport] {
    scenarios.flatMap { $0.cells.filter { $0.summary.outcome != .measured } }
  }
}
