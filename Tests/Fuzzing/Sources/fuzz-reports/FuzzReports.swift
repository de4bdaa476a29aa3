import Verdicts
import Exports
import Foundation
import Results

// Any valid rows of a run's samples.csv are judged and printed.
//
// An input is the rows below the header. FANOUT_ENVIRONMENT is the path of a run's environment.json.

private let path = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-\(getpid()).csv").path
private let header = Sample.columns.map(\.name).joined(separator: ",") + "\n"
private let environment = try! EnvironmentRecord(
  json: Data(contentsOf: URL(fileURLWithPath: ProcessInfo.processInfo.environment["FANOUT_ENVIRONMENT"]!)))

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  try! (Data(header.utf8) + Data(bytes: data, count: size)).write(to: URL(fileURLWithPath: path))
  defer { unlink(path) }
  guard let samples = try? CSVReader<Sample>(path, dropsTruncatedLastRow: true).rest() else { return -1 }
  do { try report(samples) } catch { preconditionFailure("\(error)") }
  return 0
}

private func report(_ samples: [Sample]) throws {
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
    }, "a control character is printed")
}
