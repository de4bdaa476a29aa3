import Verdicts
import Results

/// What a `pyperf` runner writes: a benchmark for each cell, a run for each generation, which is a fresh process here as
/// there. Values are seconds per post, and a loop is a post.
struct PyperfExport: Export {
  let text: String
  let remarks: [String]

  private struct Suite: Encodable {
    let version = "1.0"
    let metadata: Metadata
    let benchmarks: [Benchmark]
  }

  private struct Metadata: Encodable {
    var name: String?
    var unit: String?
    var loops: Int?
    var innerLoops: Int?
    var cpuCount: Int?
    var cpuModel: String?
    var platform: String?
    var hostname: String?

    enum CodingKeys: String, CodingKey {
      case name, unit, loops, platform, hostname
      case innerLoops = "inner_loops"
      case cpuCount = "cpu_count"
      case cpuModel = "cpu_model_name"
    }
  }

  private struct Benchmark: Encodable {
    let metadata: Metadata
    let runs: [Run]
  }

  private struct Run: Encodable {
    let metadata: Metadata
    let values: [Double]
  }

  init(_ run: ExportedRun) throws {
    let environment = run.environment
    text = try JSONText.of(
      Suite(
        metadata: Metadata(
          unit: "second", innerLoops: 1, cpuCount: environment.coreCount, cpuModel: environment.cpuModel,
          platform: environment.operatingSystem, hostname: environment.machine),
        benchmarks: run.cells.map { cell in
          Benchmark(metadata: Metadata(name: cell.path), runs: Self.runs(of: cell))
        }))
    remarks = []
  }

  /// A process of a merged run is told by its run, too; a loop count by what it repeats.
  private static func runs(of cell: ExportedCell) -> [Run] {
    var groups: [(process: [String], loops: Int, values: [Double])] = []
    for sample in cell.samples {
      let process = [sample.run, sample.machine ?? "", String(sample.generation), String(sample.iterations)]
      let value = ExportedNumber.seconds(sample.wallNanoseconds ?? 0)
      if let index = groups.firstIndex(where: { $0.process == process }) {
        groups[index].values.append(value)
      } else {
        groups.append((process, sample.iterations, [value]))
      }
    }
    return groups.map { Run(metadata: Metadata(loops: $0.loops), values: $0.values) }
  }
}
