import Verdicts
import Results
import Statistics

/// The format of `hyperfine --export-json`: each cell is a command, with times in seconds per post. The scripts of hyperfine accept one
/// parameter, which is the fan-out.
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
      "exit_codes": times.map { _ in 0 }, "parameters": ["n": String(cell.summary.fanOut)],
    ]
  }
}
