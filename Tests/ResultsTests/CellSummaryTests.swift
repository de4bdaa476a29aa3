import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct CellSummaryTests {
  private let full = CellSummary {
    $0.run = "r1"
    $0.contender = "futures"
    $0.scenario = "publish-10"
    $0.pattern = "publish"
    $0.service = "instant"
    $0.fanOut = 10
    $0.inFlightLimit = 4
    $0.payloadBytes = 5
    $0.samples = 6
    $0.dropped = 7
    $0.outcome = .measured
    $0.medianNanoseconds = 8.5
    $0.medianLowNanoseconds = 9
    $0.medianHighNanoseconds = 10
    $0.p90Nanoseconds = 11
    $0.p99Nanoseconds = 12
    $0.nanosecondsPerUpload = 13
    $0.overheadNanosecondsPerUpload = -14.25
    $0.reference = "callbacks"
    $0.ratio = 15
    $0.ratioLow = 16
    $0.ratioHigh = 17
    $0.rankGroup = 18
    $0.efficiency = 0.19
    $0.cpuNanosecondsPerUpload = 20
    $0.switchesPerUpload = 21
    $0.allocationsPerUpload = 22
    $0.retainsPerUpload = 23
    $0.peakThreads = 24
    $0.peakRSSBytes = 25
    $0.sourceLines = 26
    $0.failureToCompletionNanoseconds = 27
    $0.failureToStopNanoseconds = 28.5
    $0.startsAfterFailure = 29
    $0.wastedBytes = 30
    $0.heartbeatWorstNanoseconds = 31
    $0.verdict = .equivalent
    $0.isWithinMargin = true
    $0.roundsToResolve = 32
    $0.unresolvedReason = "33"
    $0.disturbedRounds = 34
    $0.rankProbabilities = RankProbabilities([0.35, 0.65])
    $0.objectsPerUpload = 36
  }

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
