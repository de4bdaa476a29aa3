import Verdicts
import Exports
import Foundation
import Results

// Everything that is told of a run: whatever rows its samples.csv has, as long as they are rows, it is judged and printed.
//
// An input is what stands below the header. FANOUT_ENVIRONMENT is the environment.json of the run.

private let path = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-\(getpid()).csv").path
private let header = Sample.columns.map(\.name).joined(separator: ",") + "\n"
/// Of a run that was recorded.
private let environment = try! EnvironmentRecord(
  json: Data(contentsOf: URL(fileURLWithPath: ProcessInfo.processInfo.environment["FANOUT_ENVIRONMENT"]!)))

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  try! (Data(header.utf8) + Data(bytes: data, count: size)).write(to: URL(fileURLWithPath: path))
  defer { unlink(path) }
  guard let samples = try? CSVReader<Sample>(path, dropsTruncatedLastRow: true).rest() else { return -1 }
  do { try tell(samples) } catch { preconditionFailure("\(error)") }
  return 0
}

private func tell(_ samples: [Sample]) throws {
  var options = AnalysisOptions(
    environment, plannedCells: samples.map { CellKey(contender: $0.contender, scenario: $0.scenario) },
    sourceLines: [:])
  options.rankResamples = 10
  let analysis = RunAnalysis(run: "fuzz", samples: samples, options: options)
  let context = ReportContext(environment: environment)
  check(analysis.document(context).text(usesColour: false))
  check(analysis.document(context).markdown)
  check(try analysis.json(context))
  check(try CSVText.text(analysis.summaries))
  check(try CSVText.text(analysis.growth.records))
  check(try CSVText.text(analysis.growth.crossovers))
  let run = ExportedRun(analysis, samples: samples, environment: environment)
  for format in ExportFormat.allCases { check(try format.export(run).text, allowing: "\n\t") }
  let recorded = RecordedRun(name: "fuzz", environment: environment, samples: samples)
  if let comparison = try? RecordedComparison(base: recorded, candidate: recorded, .init(margin: 0.05)) {
    check(comparison.document.text())
  }
}

private func check(_ text: String, allowing allowed: String = "\n") {
  precondition(
    text.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) || allowed.unicodeScalars.contains($0)
    }, "a control character is told")
}
