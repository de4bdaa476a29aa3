import Verdicts
import Results
import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct ReportingTests {
  /// A media file that vanishes fails everyone: that is one thing, not eight.
  @Test func `contenders that failed for the same reason share a line`() throws {
    let folder = try RecordedFolder()
    let reasons = ["floor": nil, "a": "gone", "b": "gone", "c": "late"]
    let samples = ["floor", "a", "b", "c"].map { contender in
      Sample {
        $0.run = "r"
        $0.generation = 0
        $0.round = 0
        $0.position = 0
        $0.contender = contender
        $0.scenario = "publish-file-1"
        $0.pattern = "publish"
        $0.service = "file"
        $0.fanOut = 1
        $0.payloadBytes = 1
        $0.iterations = 1
        $0.outcome = reasons[contender] == .some(nil) ? .measured : .failed
        $0.reason = reasons[contender] ?? nil
        $0.wallNanoseconds = 1
      }
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
