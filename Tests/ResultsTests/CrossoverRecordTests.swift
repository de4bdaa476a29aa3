import Results
import TestSupport
import Testing

@Suite(.ownThread) struct CrossoverRecordTests {
  private let record = CrossoverRecord {
    $0.run = "r1"
    $0.series = "publish-instant-N"
    $0.cheaperBelow = "callbacks"
    $0.cheaperAbove = "futures"
    $0.fanOut = 320.5
    $0.fanOutLow = 200
    $0.fanOutHigh = 410
    $0.provedBelowFanOut = 100
    $0.provedAboveFanOut = 1_000
  }

  @Test func whatIsWrittenIsRead() throws {
    let text = try CSVText.text([record])
    #expect(
      text
        == "run,series,cheaper_below,cheaper_above,fan_out,fan_out_ci_low,fan_out_ci_high,proved_below,proved_above,machine\n"
        + "r1,publish-instant-N,callbacks,futures,320.5,200,410,100,1000,\n")
    let folder = try TemporaryFolder()
    #expect(
      try CSVReader<CrossoverRecord>(try folder.write(text, to: "crossovers.csv")).rest() == [record])
  }

  @Test func anEstimateLiesInItsInterval() {
    var record = record
    record.fanOut = 420
    #expect(throws: ResultsError.self) { try CSVText.text([record]) }
  }
}
