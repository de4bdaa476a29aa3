import Analysis
import Results
import Testing

@testable import BenchCommand

@Suite struct ReportingTests {
  /// A media file that vanishes fails everyone: that is one thing, not eight.
  @Test func whoFailedInTheSameWayIsSaidInOneLine() throws {
    let folder = try RecordedFolder()
    let reasons = ["floor": nil, "a": "gone", "b": "gone", "c": "late"]
    let samples = ["floor", "a", "b", "c"].map { contender in
      Sample(
        run: "r", generation: 0, round: 0, position: 0, contender: contender, scenario: "publish-file-1",
        pattern: "publish", service: "file", fanOut: 1, payloadBytes: 1, iterations: 1,
        outcome: reasons[contender] == .some(nil) ? .measured : .failed, reason: reasons[contender] ?? nil,
        wallNanoseconds: 1)
    }
    let report = Reporting(
      try RunDirectory.create(name: "r", in: folder.path), environment: RecordedFolder.environment(),
      samples: samples, analysis: AnalysisOptions(reference: "floor"))
    #expect(
      report.failures == [
        "a, b are not ranked on publish-file-1: gone", "c is not ranked on publish-file-1: late",
      ])
  }
}
