import Statistics

/// What the samples themselves do not say.
public struct AnalysisOptions: Sendable {
  /// The contender that overheads and ratios are taken against.
  public var reference: String
  /// The chance that any statement of the whole report is a false one; intervals have at least level 1 − this.
  public var familyWiseError: Double
  /// The cells that were planned, to tell which are missing; nil: every contender seen × every scenario seen.
  public var plannedCells: [CellKey]?
  /// How each scenario ends, by name; one that is not listed is inferred from its samples.
  public var ends: [String: ScenarioEnd]
  /// What scenarios are about that are no uploads, by name.
  public var subjects: [String: ScenarioSubject]
  /// Lines of code by contender and pattern.
  public var sourceLines: [String: [String: Int]]

  /// The fewest pairs in which any of so many comparisons can be decided.
  public static func fewestPairs(comparisons: Int, familyWiseError: Double = defaultFamilyWiseError) -> Int {
    MedianInterval.smallestCount(level: 1 - familyWiseError / Double(max(comparisons, 1)))
  }

  public static let defaultFamilyWiseError = 0.05

  public init(
    reference: String, familyWiseError: Double = defaultFamilyWiseError, plannedCells: [CellKey]? = nil,
    ends: [String: ScenarioEnd] = [:], subjects: [String: ScenarioSubject] = [:],
    sourceLines: [String: [String: Int]] = [:]
  ) {
    self.reference = reference
    self.familyWiseError = familyWiseError
    self.plannedCells = plannedCells
    self.ends = ends
    self.subjects = subjects
    self.sourceLines = sourceLines
  }
}
