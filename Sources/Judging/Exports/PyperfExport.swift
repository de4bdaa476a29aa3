import Verdicts
import Results

/// The format of a `pyperf` runner: each cell is a benchmark. Values are seconds per post; a loop is one post.
///
/// The t-test of `pyperf compare_to` needs equally many values on both sides, but runs rarely have equally many samples. So every cell
/// has the same number of values, and each value is the mean time of consecutive samples.
enum PyperfExport {
  /// The default number of values for each cell: about one for each process of a run of six generations.
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
      "\(short.count) of \(run.cells.count) cells have fewer than \(values) samples and are left out: give --values \(short.map(\.samples.count).min() ?? 0) for both runs, or --values 0 for all samples as they are, which pyperf cannot compare between runs of different length"
    return Export(text: text, remarks: short.isEmpty ? [] : [remark])
  }

  /// Divides a cell's samples into `values` groups of consecutive samples, of nearly equal size. Each group is a run with one value.
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
