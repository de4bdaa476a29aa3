import Testing

@testable import Results

@Suite struct CellSummaryTests {
  private let full = CellSummary(
    run: "r1", contender: "futures", scenario: "publish-10", pattern: "publish", service: "instant",
    fanOut: 10,
    inFlightLimit: 4, payloadBytes: 5, samples: 6, dropped: 7, outcome: .measured, medianNanoseconds: 8.5,
    medianLowNanoseconds: 9, medianHighNanoseconds: 10, p90Nanoseconds: 11, p99Nanoseconds: 12,
    nanosecondsPerUpload: 13, overheadNanosecondsPerUpload: -14.25, reference: "callbacks", ratio: 15,
    ratioLow: 16, ratioHigh: 17, rankGroup: 18, efficiency: 0.19, cpuNanosecondsPerUpload: 20,
    switchesPerUpload: 21, allocationsPerUpload: 22, retainsPerUpload: 23, peakThreads: 24, peakRSSBytes: 25,
    sourceLines: 26, failureToCompletionNanoseconds: 27, failureToStopNanoseconds: 28.5,
    startsAfterFailure: 29,
    wastedBytes: 30, heartbeatWorstNanoseconds: 31, verdict: .equivalent, isWithinMargin: true,
    roundsToResolve: 32, unresolvedReason: "33", disturbedRounds: 34,
    rankProbabilities: RankProbabilities([0.35, 0.65]), objectsPerUpload: 36)

  @Test func aSummaryComesBackAsItWasWritten() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(CSVText.text([full]), to: "summary.csv")
    #expect(try CSVReader<CellSummary>(path).rest() == [full])
  }

  @Test func onlyOverheadMayBeNegative() {
    #expect(throws: Never.self) { try CSVText.text([full]) }
    var negative = full
    negative.ratio = -1
    #expect(throws: ResultsError.refused(column: "ratio", problem: "is -1.0, which is negative")) {
      try CSVText.text([negative])
    }
  }

  @Test func noMeasuredSampleMeansNoNumber() {
    var empty = full
    empty.samples = 0
    #expect(throws: ResultsError.self) { try CSVText.text([empty]) }
  }
}
