import Foundation
import Results
import Statistics
import Verdicts

/// The format `customSmallerIsBetter` of github-action-benchmark, which compares each entry with the previous run's entry.
///
/// Times on hosted machines vary by a fifth between runs, so the entries are ratios to the reference and counts of allocations.
enum ActionBenchmarkExport {
  static func export(_ run: ExportedRun) throws -> Export {
    let entries = run.cells.flatMap { [ratio(of: $0), allocations(of: $0)].compactMap(\.self) }
    return Export(text: try JSONText.of(entries), remarks: run.remarksOnRatios)
  }

  private static func ratio(of cell: ExportedCell) -> JSONObject? {
    let summary = cell.summary
    guard let ratio = cell.ratio, let reference = summary.reference else { return nil }
    let lines: [String?] = [
      "samples: \(cell.samples.count)",
      summary.medianNanoseconds.map { "median: \(BenchstatExport.number(ExportedNumber.rounded($0))) ns" },
      summary.p99Nanoseconds.map { "p99: \(BenchstatExport.number(ExportedNumber.rounded($0))) ns" },
      "interval: \(short(ratio.low))..\(short(ratio.high))",
      summary.verdict.map { "verdict: \($0.rawValue)" },
    ]
    return [
      "name": "\(cell.path) - ratio to \(reference)", "unit": "ratio",
      "value": ExportedNumber.rounded(ratio.value), "range": "± \(short((ratio.high - ratio.low) / 2))",
      "extra": lines.compactMap(\.self).joined(separator: "\n"),
    ]
  }

  private static func allocations(of cell: ExportedCell) -> JSONObject? {
    Quantiles.median(of: cell.perPost(\.allocations)).map {
      [
        "name": "\(cell.path) - allocations",
        "unit": "allocations/\(NoService.iteration(on: cell.summary.service))",
        "value": ExportedNumber.rounded($0),
      ]
    }
  }

  private static func short(_ value: Double) -> String {
    let digits = String(format: "%.3g", value)
    return Double(digits).map(BenchstatExport.number) ?? digits
  }
}

/// Bencher Metric Format: the measures of each cell with their bounds. `latency` is in nanoseconds per post.
enum BencherExport {
  static func export(_ run: ExportedRun) throws -> Export {
    let benchmarks = run.cells.keyed { ($0.path, measures(of: $0)) }
    return Export(text: try JSONText.of(benchmarks), remarks: run.remarksOnRatios)
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
