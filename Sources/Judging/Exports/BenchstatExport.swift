import Foundation
import Results

/// Go's benchmark format, which `benchstat` reads: one line for each sample. All times are per job.
///
/// The benchmark's name is the scenario, followed by the keys `/impl` (contender), `/n` (number of uploads) and `/k` (the most uploads at
/// once). A slash in a name would start another key, so it becomes `~`, which no name contains.
enum BenchstatExport {
  /// The fewest lines of a benchmark for which `benchstat` computes an interval.
  private static let fewestLines = 6

  static func export(_ run: ExportedRun) -> Export {
    var lines =
      ["# " + Self.origin(of: run)] + ExportedQuantity.all.compactMap { Self.metadata($0, run.cells) }
    var known: [String: String] = [:]
    for cell in run.cells {
      let environment = run.environment(of: cell)
      for (key, value) in Self.configuration(of: environment, machine: cell.place.machine)
      where (known.updateValue(value, forKey: key) ?? "") != value {
        // In this format, a key with an empty value resets the key.
        lines.append(value.isEmpty ? "\(key):" : "\(key): \(value)")
      }
      let name = Self.name(of: cell, coreCount: environment.coreCount)
      lines += cell.samples.map { Self.line(name, $0) }
    }
    let short = run.cells.count { $0.samples.count < fewestLines }
    let remark =
      "\(short) of \(run.cells.count) benchmarks have fewer than \(fewestLines) samples, so benchstat shows no interval for them"
    return Export(text: lines.joined(separator: "\n") + "\n", remarks: short == 0 ? [] : [remark])
  }

  /// Describes the run in a comment line. As keys, these facts would make `benchstat` put two runs into different tables.
  private static func origin(of run: ExportedRun) -> String {
    let environment = run.environment
    let parts: [String?] = [
      "run \(run.run)",
      environment.commit.map { "commit \($0.prefix(12))\(environment.isDirty == true ? " + changes" : "")" },
      environment.buildConfiguration == "debug" ? "DEBUG BUILD: the times are meaningless" : nil,
      "seed \(environment.seed)",
      "an op is one \(run.cells.first.map { NoService.iteration(on: $0.summary.service) } ?? "post")",
    ]
    return oneLine(parts.compactMap(\.self).joined(separator: ", "))
  }

  /// The `Unit` line of a quantity; `nil` if no sample has the quantity. `benchstat` warns if a quantity is declared exact but varies.
  private static func metadata(_ quantity: ExportedQuantity, _ cells: [ExportedCell]) -> String? {
    let values = cells.map { $0.samples.compactMap(quantity.value) }.filter { !$0.isEmpty }
    guard !values.isEmpty else { return nil }
    let isExact = quantity.isCount && values.allSatisfy { Set($0).count == 1 }
    return "Unit \(quantity.unit) better=lower" + (isExact ? " assume=exact" : "")
  }

  private static func configuration(of environment: EnvironmentRecord, machine: String?) -> [(
    key: String, value: String
  )] {
    [
      ("toolchain", environment.toolchain), ("os", environment.operatingSystem),
      ("arch", environment.architecture), ("cpu", environment.cpuModel), ("machine", machine),
    ].map { ($0, $1.map(oneLine) ?? "") }
  }

  /// The name of the benchmark, such as `Benchmarkpublish-instant-100-limit-4/impl=callbacks/n=100/k=4-2`.
  private static func name(of cell: ExportedCell, coreCount: Int?) -> String {
    let keys =
      ["impl=\(cell.contender.replacing("/", with: "~"))", "n=\(cell.summary.fanOut)"]
      + (cell.summary.inFlightLimit.map { ["k=\($0)"] } ?? [])
    return "Benchmark\(cell.place.scenario.replacing("/", with: "~"))/" + keys.joined(separator: "/")
      + (coreCount.map { "-\($0)" } ?? "")
  }

  private static func line(_ name: String, _ sample: Sample) -> String {
    let values = ExportedQuantity.all.compactMap { quantity in
      quantity.value(sample).map { "\(number($0)) \(quantity.unit)" }
    }
    return ([name, String(sample.iterations)] + values).joined(separator: "\t")
  }

  static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(format: "%.9g", value)
  }

  private static func oneLine(_ text: String) -> String {
    SafeText.neutralised(text).trimmingCharacters(in: .whitespaces)
  }
}
