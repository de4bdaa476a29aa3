import Results

/// A cell's summary and what summary.csv has no column for.
public struct CellReport: Sendable, Hashable {
  /// Why a cell is not measured: a reason, and how many samples gave it.
  public struct Reason: Sendable, Hashable {
    public let outcome: Outcome
    public let text: String
    public let samples: Int
  }

  public enum Standing: Sendable, Hashable {
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
  /// Median of the first samples of fresh processes, in nanoseconds per post: what a caller pays who does it once.
  public let coldNanoseconds: Double?
  /// The most frequent first; empty if the cell is measured.
  public let reasons: [Reason]
}

extension CellReport {
  public var comparison: Comparison? {
    if case .compared(let comparison) = standing { comparison } else { nil }
  }
}
