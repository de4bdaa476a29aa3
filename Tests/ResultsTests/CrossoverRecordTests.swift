import Results
import TestSupport
import Testing

@Suite(.ownThread) struct CrossoverRecordTests {
  private let record = CrossoverRecord {
    ($0.run, $0.series, $0.cheaperBelow) = ("r1", "publish-instant-N", "callbacks")
    ($0.cheaperAbove, $0.fanOut, $0.fanOutLow, $0.fanOutHigh) = ("futures", 320.5, 200, 410)
    $0.provedBelowFanOut = 100
    $0.provedAboveFanOut = 1_000
  }

  @Test func `an estimate outside its interval is refused`() {
    var record = record
    record.fanOut = 420
    #expect(throws: ResultsError.self) { try CSVText.text([record]) }
  }
}
