import Foundation
import Results
import Statistics
import Verdicts

/// JMH's JSON result format (`-rf json`), for its visualisers: each cell is a benchmark of mode `avgt`, each generation is a fork, and
/// quantities other than time are secondary metrics.
///
/// Score and error are JMH's: the mean, and half the 99.9 % interval, which assumes independent normal values. Times are not normal.
enum JMHExport {
  static func export(_ run: ExportedRun) throws -> Export {
    Export(text: try JSONText.of(run.cells.compactMap(benchmark)))
  }

  private static func benchmark(of cell: ExportedCell) -> JSONObject? {
    let generations = cell.samplesByProcess()
    let metrics = ExportedQuantity.all.compactMap { quantity in
      metric(quantity, generations).map { (quantity.name, $0) }
    }
    guard let primary = metrics.first else { return nil }
    let milliseconds = Quantiles.median(of: cell.samples.compactMap(milliseconds)) ?? 0
    let time = "\(BenchstatExport.number((milliseconds * 10).rounded() / 10)) ms"
    return [
      "benchmark": name(of: cell), "mode": "avgt", "threads": 1, "forks": generations.count,
      // Warm-up is not exported.
      "warmupIterations": 0, "warmupTime": "0 ms", "warmupBatchSize": 1,
      "measurementIterations": generations.map(\.count).max() ?? 0, "measurementTime": time,
      "measurementBatchSize": 1,
      "params": [
        "n": String(cell.summary.fanOut), "k": cell.summary.inFlightLimit.map { String($0) },
      ] as JSONObject,
      "primaryMetric": primary.1, "secondaryMetrics": metrics.dropFirst().keyed { $0 },
    ]
  }

  private static func milliseconds(_ sample: Sample) -> Double? {
    sample.wallNanoseconds.map { Double($0) * Double(sample.iterations) / 1e6 }
  }

  /// The benchmark's name. Visualisers take the text before the last dot for a class, so the name has exactly one dot.
  private static func name(of cell: ExportedCell) -> String {
    let machine = cell.place.machine.map { "@\($0)" } ?? ""
    return ["\(cell.place)\(machine)", cell.contender].map { $0.replacing(".", with: "~") }
      .joined(separator: ".")
  }

  private static func metric(_ quantity: ExportedQuantity, _ generations: [[Sample]]) -> JSONObject? {
    let raw = generations.map { $0.compactMap(quantity.value).map(ExportedNumber.rounded) }
    let values = raw.flatMap(\.self)
    guard let mean = Moments.mean(of: values) else { return nil }
    let error = TrimmedMean(of: values, trimmedShare: 0).map {
      $0.standardError * StudentT(degreesOfFreedom: $0.degreesOfFreedom).quantile(twoSided: 0.001)
    }
    let shares = [0, 0.5, 0.9, 0.95, 0.99, 1]
    let ends = error.map { [mean - $0, mean + $0].map(ExportedNumber.rounded) }
    return [
      "score": ExportedNumber.rounded(mean),
      // JMH writes unknown numbers as the text "NaN".
      "scoreError": error.map(ExportedNumber.rounded) ?? "NaN" as any Encodable,
      "scoreConfidence": ends ?? ["NaN", "NaN"] as any Encodable,
      "scorePercentiles": shares.keyed { share in
        let value = Quantiles.quantile(share, of: values) ?? mean
        return (String(format: "%.1f", 100 * share), ExportedNumber.rounded(value))
      },
      "scoreUnit": quantity.unit,
      // The values of each fork, in the order they were taken.
      "rawData": raw,
    ]
  }
}
