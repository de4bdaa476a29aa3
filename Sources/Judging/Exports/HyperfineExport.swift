import Verdicts
import Results
import Statistics

/// What `hyperfine --export-json` writes: a command for each cell, times in seconds per post.
///
/// Its scripts take files with one parameter and no more, which is the fan-out.
struct HyperfineExport: Export {
  let text: String
  let remarks: [String]

  init(_ run: ExportedRun) throws {
    text = try JSONText.of(["results": run.cells.map(Self.result)] as JSONObject)
    remarks = []
  }

  private static func result(of cell: ExportedCell) -> JSONObject {
    let times = cell.wallNanoseconds.map(ExportedNumber.seconds)
    let memory = cell.samples.compactMap(\.peakRSSBytes)
    return [
      "command": "\(cell.contender) \(cell.place)", "mean": mean(of: times), "stddev": deviation(of: times),
      "median": Quantiles.median(of: times) ?? 0,
      "user": mean(of: cell.samples.compactMap { $0.cpuUserNanoseconds.map(ExportedNumber.seconds) }),
      "system": mean(of: cell.samples.compactMap { $0.cpuSystemNanoseconds.map(ExportedNumber.seconds) }),
      "min": times.min() ?? 0, "max": times.max() ?? 0, "times": times,
      "memory_usage_byte": memory.count == times.count ? memory : nil,
      "exit_codes": times.map { _ in 0 }, "parameters": ["n": String(cell.summary.fanOut)],
    ]
  }

  private static func mean(of values: [Double]) -> Double {
    values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
  }

  /// Of a sample, not of a population; nil of one value, as `hyperfine` has it.
  private static func deviation(of values: [Double]) -> Double? {
    guard values.count > 1 else { return nil }
    let mean = mean(of: values)
    let squares = values.map { ($0 - mean) * ($0 - mean) }.reduce(0, +)
    return (squares / Double(values.count - 1)).squareRoot()
  }
}
