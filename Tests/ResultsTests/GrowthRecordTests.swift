import Results
import TestSupport
import Testing

@Suite(.ownThread) struct GrowthRecordTests {
  private var full: GrowthRecord {
    var record = GrowthRecord {
      $0.run = "r1"
      $0.contender = "futures"
      $0.series = "publish-instant-N"
      $0.pattern = "publish"
      $0.service = "instant"
      $0.widths = 1
    }
    record.inFlightLimit = 2
    (record.leastFanOut, record.mostFanOut, record.verdict) = (3, 4, .superlinear)
    (record.exponent, record.exponentLow, record.exponentHigh) = (5, 6, 7)
    (record.exponentFromFanOut, record.widestExponent) = (8, 9)
    (record.widestExponentLow, record.widestExponentHigh, record.superlinearFromFanOut) = (10, 11, 12)
    (record.nanosecondsPerUpload, record.bytesPerUpload) = (23, 24)
    (record.stoppedAtFanOut, record.stoppedBy) = (25, "timed out")
    record.machine = "node-7"
    return record
  }

  @Test func theColumnsAreThoseOfTheContract() {
    #expect(
      GrowthRecord.columns.map(\.name).joined(separator: ",")
        == "run,contender,series,pattern,service,in_flight_limit,widths,least_fan_out,most_fan_out,verdict,exponent,exponent_ci_low,exponent_ci_high,exponent_from_fan_out,widest_exponent,widest_exponent_ci_low,widest_exponent_ci_high,superlinear_from_fan_out,ns_per_upload,bytes_per_upload,stopped_at_fan_out,stopped_by,machine"
    )
  }

  /// Values are all different, so two columns that share a property would show.
  @Test func everyColumnHasItsOwnValue() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(CSVText.text([full]), to: "growth.csv")
    #expect(try CSVReader<GrowthRecord>(path).rest() == [full])
  }

  @Test func whoeverIsStoppedIsStoppedBySomething() {
    var record = full
    record.stoppedBy = nil
    #expect(throws: ResultsError.self) { try CSVText.text([record]) }
  }
}
