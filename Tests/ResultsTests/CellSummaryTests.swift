import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct CellSummaryTests {
  private let full = CellSummary {
    ($0.run, $0.contender, $0.scenario, $0.pattern) = ("r1", "futures", "publish-10", "publish")
    ($0.service, $0.fanOut, $0.payloadBytes, $0.samples) = ("instant", 10, 5, 6)
    ($0.dropped, $0.outcome, $0.medianNanoseconds, $0.nanosecondsPerUpload) = (7, .measured, 8.5, 13)
    ($0.overheadNanosecondsPerUpload, $0.reference, $0.ratio, $0.disturbedRounds) = (
      -14.25, "callbacks", 15, 34
    )
  }

  @Test func `only overhead may be negative`() {
    #expect(throws: Never.self) { try CSVText.text([full]) }
    var negative = full
    negative.ratio = -1
    #expect(throws: ResultsError.refused(column: "ratio", problem: "is -1.0, which is negative")) {
      try CSVText.text([negative])
    }
  }

  @Test func `without a measured sample there is no number`() {
    var empty = full
    empty.samples = 0
    #expect(throws: ResultsError.self) { try CSVText.text([empty]) }
  }
}
