/// The files of a run of `bench load`.
extension RunDirectory {
  public static let loadName = "load.csv"
  public static let loadSummaryName = "load_summary.csv"
  public static let latenciesName = "latencies.csv"
  public static let limitsName = "limits.csv"

  public var loadPath: String { path + "/" + Self.loadName }
  public var loadSummaryPath: String { path + "/" + Self.loadSummaryName }

  /// As ``begin(_:)``, with load.csv for its samples.
  public func beginLoad(_ environment: EnvironmentRecord) throws(ResultsError) -> CSVWriter<LoadWindow> {
    try begin(environment, Self.loadName)
  }

  /// Writes load_summary.csv, in place of an older one.
  public func write(loadSummary: [LoadSummary]) throws(ResultsError) {
    try replace(Self.loadSummaryName, with: loadSummary)
  }

  /// Writes latencies.csv, in place of an older one.
  public func write(latencies: [LatencyBucket]) throws(ResultsError) {
    try replace(Self.latenciesName, with: latencies)
  }

  /// Writes limits.csv, in place of an older one.
  public func write(limits: [LoadLimit]) throws(ResultsError) {
    try replace(Self.limitsName, with: limits)
  }

  private func replace(_ name: String, with rows: [some CSVRecord]) throws(ResultsError) {
    try POSIXFile.replace(path + "/" + name, with: Array(try CSVText.text(rows).utf8))
  }
}
