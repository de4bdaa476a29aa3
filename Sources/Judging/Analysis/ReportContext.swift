import Results

/// What a report says besides the analysis.
public struct ReportContext: Sendable {
  public var environment: EnvironmentRecord?
  /// Commands to try next, one a line.
  public var nextSteps: [String]
  /// The number of a line of samples.csv that a kill cut off.
  public var truncatedLine: Int?

  public init(environment: EnvironmentRecord? = nil, nextSteps: [String] = [], truncatedLine: Int? = nil) {
    self.environment = environment
    self.nextSteps = nextSteps
    self.truncatedLine = truncatedLine
  }
}
