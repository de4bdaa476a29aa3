import Verdicts
import Results
import Statistics

/// Bencher Metric Format: for each cell, measures with their bounds. `latency` is in nanoseconds per post.
struct BencherExport: Export {
  let text: String
  let remarks: [String]

  init(_ run: ExportedRun) throws {
    let benchmarks = run.cells.keyed { ($0.path, Self.measures(of: $0)) }
    text = try JSONText.of(benchmarks)
    remarks = run.remarksOnRatios
  }

  private static func measures(of cell: ExportedCell) -> JSONObject {
    let summary = cell.summary
    return [
      "latency": metric(
        summary.medianNanoseconds, summary.medianLowNanoseconds, summary.medianHighNanoseconds),
      "ratio": metric(cell.ratio?.value, cell.ratio?.low, cell.ratio?.high),
      "context-switches": metric(Quantiles.median(of: cell.samples.compactMap(\.switches))),
      "allocations": metric(Quantiles.median(of: cell.perPost(\.allocations))),
    ]
  }

  private static func metric(_ value: Double?, _ lower: Double? = nil, _ upper: Double? = nil) -> JSONObject?
  {
    value.map {
      [
        "value": ExportedNumber.rounded($0), "lower_value": lower.map(ExportedNumber.rounded),
        "upper_value": upper.map(ExportedNumber.rounded),
      ]
    }
  }
}
