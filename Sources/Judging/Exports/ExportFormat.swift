/// The formats of other tools in which a run can be exported.
public enum ExportFormat: String, CaseIterable, Sendable {
  /// Go's benchmark text, for `benchstat`.
  case benchstat
  /// Bencher Metric Format, for `bencher run --adapter json`.
  case bmf
  /// `customSmallerIsBetter` of github-action-benchmark.
  case gab
  /// The format of `hyperfine --export-json`, for the scripts that come with hyperfine.
  case hyperfine
  /// The result format of JMH, for its visualisers.
  case jmh
  /// The format of `pyperf` runners, for `pyperf stats`, `hist`, `check` and `compare_to`.
  case pyperf

  /// - Parameter values: only for `pyperf`: the number of values of each benchmark. 0 exports every sample; `nil` means 6.
  public func export(_ run: ExportedRun, values: Int? = nil) throws -> Export {
    switch self {
    case .benchstat: BenchstatExport.export(run)
    case .bmf: try BencherExport.export(run)
    case .gab: try ActionBenchmarkExport.export(run)
    case .hyperfine: try HyperfineExport.export(run)
    case .jmh: try JMHExport.export(run)
    case .pyperf: try PyperfExport.export(run, values: values ?? PyperfExport.usualValues)
    }
  }
}

/// A run in the format of another tool.
public struct Export: Sendable {
  public let text: String
  /// Sentences about parts of the run that the format or the tool cannot use.
  public var remarks: [String] = []
}
