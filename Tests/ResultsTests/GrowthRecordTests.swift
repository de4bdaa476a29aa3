import Results
import TestSupport
import Testing

@Suite(.ownThread) struct GrowthRecordTests {
  @Test func `a stopped series needs a reason`() {
    var record = makeGrowth()
    #expect(throws: Never.self) { try CSVText.text([record]) }
    record.stoppedAtFanOut = 10
    #expect(throws: ResultsError.self) { try CSVText.text([record]) }
  }
}
