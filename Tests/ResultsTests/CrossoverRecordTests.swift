import Results
import Testing

@Suite struct CrossoverRecordTests {
  private let record = CrossoverRecord(
    run: "r1", series: "publish-instant-N", cheaperBelow: "callbacks", cheaperAbove: "futures", fanOut: 320.5,
    fanOutLow: 200, fanOutHigh: 410, provedBelowFanOut: 100, provedAboveFanOut: 1_000)

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
