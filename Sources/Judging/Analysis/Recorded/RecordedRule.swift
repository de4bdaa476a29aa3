/// What it takes to call a change between two recorded runs one.
///
/// The constants were measured: Documentation/Method.md, “Recorded runs”.
struct RecordedRule {
  /// A change up to this, as a share of 1, matters to nobody; one that exceeds a third of it for certain is reported.
  let margin: Double

  /// The chance of any false *regressed* or *improved* in a whole comparison.
  static let familyWiseError = 0.01
  /// Fewer generations a side say nothing of how processes differ.
  static let fewestGenerations = 3
  /// Cells do not share one spread exactly, which makes large values likelier than the generations alone would.
  static let mostDegreesOfFreedom = 6.0
  /// One process never differs from the next by less, as a log-ratio.
  static let smallestSpread = 0.003
  /// How much a run adds at least to what its generations show, as a multiple of their spread: what two runs of the same
  /// build usually show.
  static let leastBetweenRuns = 0.3
  /// The same where so few cells are compared that they cannot tell.
  static let betweenRunsOfFewCells = 0.6
  static let fewCells = 8
  /// A run of which more was disturbed decides nothing, as a scenario within a run.
  static let mostDisturbed = AnalysisOptions.defaultMostDisturbedShare
}
