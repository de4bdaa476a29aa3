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

  private struct Metric: Encodable {
    let value: Double
    let lowerValue: Double?
    let upperValue: Double?

    init?(_ value: Double?, _ lower: Double? = nil, _ upper: Double? = nil) {
      guard let value else { return nil }
      self.value = ExportedNumber.rounded(value)
      lowerValue = lower.map(ExportedNumber.rounded)
      upperValue = upper.map(ExportedNumber.rounded)
    }
  }

  private static func measures(of cell: ExportedCell) -> [String: Metric] {
    let summary = cell.summary
    let measures: [String: Metric?] = [
      "latency": Metric(
        summary.medianNanoseconds, summary.medianLowNanoseconds, summary.medianHighNanoseconds),
      "ratio": cell.ratio.flatMap { Metric($0.value, $0.low, $0.high) },
      "context-switches": Metric(Quantiles.median(of: cell.samples.compactMap(\.switches))),
      "allocations": Metric(Quantiles.median(of: cell.perPost(\.allocations))),
    ]
    return measures.compactMapValues(\.self)
  }
}
