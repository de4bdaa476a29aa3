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

/// Bencher Metric Format: the measures of each contender in each scenario. `latency` is in nanoseconds per job.
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

/// The format of `hyperfine --export-json`: each contender in each scenario is a command, with times in seconds per job.
enum HyperfineExport {
  static func export(_ run: ExportedRun) throws -> Export {
    Export(text: try JSONText.of(["results": run.cells.map(result)] as JSONObject))
  }

  private static func result(of cell: ExportedCell) -> JSONObject {
    let times = cell.wallNanoseconds.map(ExportedNumber.seconds)
    let memory = cell.samples.compactMap(\.peakRSSBytes)
    func mean(_ time: (Sample) -> Int?) -> Double {
      Moments.mean(of: cell.samples.compactMap { time($0).map(ExportedNumber.seconds) }) ?? 0
    }
    return [
      "command": "\(cell.contender) \(cell.place)", "mean": Moments.mean(of: times) ?? 0,
      // For a single sample, which has no standard deviation, hyperfine also writes null.
      "stddev": Moments.variance(of: times)?.squareRoot(),
      "median": Quantiles.median(of: times) ?? 0,
      "user": mean(\.cpuUserNanoseconds), "system": mean(\.cpuSystemNanoseconds),
      "min": times.min() ?? 0, "max": times.max() ?? 0, "times": times,
      "memory_usage_byte": memory.count == times.count ? memory : nil,
      // The scripts of hyperfine accept only one parameter.
      "exit_codes": times.map { _ in 0 }, "parameters": ["n": String(cell.summary.fanOut)],
    ]
  }
}

/// JMH's JSON result format (`-rf json`), for its visualisers: each worker process is a fork of a benchmark of mode `avgt`.
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
    return ["\(cell.place.scenario)\(machine)", cell.contender].map { $0.replacing(".", with: "~") }
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

/// The format of a `pyperf` runner. Values are seconds per job, and each job is one loop of pyperf.
///
/// The t-test of `pyperf compare_to` needs equally many values on both sides, but runs rarely have equally many samples. So every benchmark
/// has the same number of values, and each value is the mean time of consecutive samples.
enum PyperfExport {
  /// The default number of values of a benchmark: one for each of its six processes in a default run.
  static let usualValues = 6

  static func export(_ run: ExportedRun, values: Int = usualValues) throws -> Export {
    let environment = run.environment
    let cells = run.cells.filter { $0.samples.count >= values }
    let text = try JSONText.of(
      [
        "version": "1.0",
        "metadata": [
          "unit": "second", "inner_loops": 1, "cpu_count": environment.coreCount,
          "cpu_model_name": environment.cpuModel, "platform": environment.operatingSystem,
          "hostname": environment.machine,
        ] as JSONObject,
        "benchmarks": cells.map { cell -> JSONObject in
          [
            "metadata": ["name": cell.path],
            "runs": values > 0 ? Self.chunks(of: cell, values) : Self.processes(of: cell),
          ]
        },
      ] as JSONObject)
    let short = run.cells.filter { $0.samples.count < values }
    let remark =
      "\(short.count) of \(run.cells.count) benchmarks have fewer than \(values) samples and are left out: give --values \(short.map(\.samples.count).min() ?? 0) for both runs, or --values 0 for all samples as they are, which pyperf cannot compare between runs of different length"
    return Export(text: text, remarks: short.isEmpty ? [] : [remark])
  }

  /// Divides the samples into `values` groups of consecutive samples, of nearly equal size. Each group becomes a pyperf run with one value.
  private static func chunks(of cell: ExportedCell, _ values: Int) -> [JSONObject] {
    let count = cell.samples.count
    return (0..<values).map { index in
      let samples = cell.samples[count * index / values..<count * (index + 1) / values]
      let posts = samples.reduce(0) { $0 + $1.iterations }
      let nanoseconds = samples.reduce(0.0) { $0 + Double($1.wallNanoseconds ?? 0) * Double($1.iterations) }
      return ["metadata": ["loops": posts], "values": [nanoseconds / Double(posts) / 1e9]]
    }
  }

  private static func processes(of cell: ExportedCell) -> [JSONObject] {
    cell.samplesByProcess(and: \.iterations).map { samples in
      [
        "metadata": ["loops": samples[0].iterations],
        "values": samples.compactMap(\.wallNanoseconds).map(ExportedNumber.seconds),
      ]
    }
  }
}
