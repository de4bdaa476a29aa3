import Testing

@testable import Results

@Suite struct LoadRowsTests {
  private static let subject = LoadSubject(
    run: "run", contender: "futures", scenario: "publish-latency-10", pattern: "publish", service: "latency",
    fanOut: 101, inFlightLimit: 102, payloadBytes: 103, schedule: "poisson")

  private static let figures: LoadFigures = {
    var figures = LoadFigures()
    figures.achievedPerSecond = 201
    figures.p50Nanoseconds = 202
    figures.p90Nanoseconds = 203
    figures.p99Nanoseconds = 204
    figures.p999Nanoseconds = 205
    figures.p9999Nanoseconds = 206
    figures.maxNanoseconds = 207
    figures.latenessP50Nanoseconds = 208
    figures.latenessP99Nanoseconds = 209
    figures.latenessMaxNanoseconds = 210
    figures.heldUpP99Nanoseconds = 211
    figures.processShare = 0.212
    figures.machineShare = 0.213
    figures.othersShare = 0.214
    return figures
  }()

  /// Values are all different, so two columns that share a property would show.
  private func roundTrip<Row: CSVRecord & Equatable>(_ row: Row) throws {
    let fields = try CSVLine.split(CSVWriter.line(row).dropLast().utf8)
    #expect(fields.count == Row.columns.count)
    #expect(Set(fields).count == fields.count, "two columns hold the same: \(fields)")
    var copy = Row.blank
    for (column, field) in zip(Row.columns, fields) { try column.read(field, &copy) }
    #expect(copy == row)
  }

  @Test func aWindowIsReadAsItWasWritten() throws {
    try roundTrip(
      LoadWindow(
        subject: Self.subject, round: 1, position: 2, offeredPerSecond: 3.5, windowNanoseconds: 4, due: 5,
        completed: 6, givenUp: 7, wrong: 8, peakInFlight: 9, drainNanoseconds: 10, idealNanoseconds: 11,
        stealNanoseconds: 12, outcome: .wrong, reason: "why", figures: Self.figures,
        objectivePercentile: "p99", objectiveNanoseconds: 13, verdict: .generatorLate))
  }

  @Test func aSummaryIsReadAsItWasWritten() throws {
    try roundTrip(
      LoadSummary(
        subject: Self.subject, offeredPerSecond: 3.5, windows: 4, disturbedWindows: 5, posts: 6,
        outcome: .measured, reason: "why", figures: Self.figures, objectivePercentile: "max",
        objectiveNanoseconds: 7, verdict: .machineLimit))
  }

  @Test func bucketsAndLimitsAreReadAsTheyWereWritten() throws {
    try roundTrip(
      LatencyBucket(
        run: "run", contender: "futures", scenario: "s", offeredPerSecond: 1.5, lowNanoseconds: 2,
        highNanoseconds: 3, posts: 4))
    try roundTrip(
      LoadLimit(
        run: "run", contender: "futures", scenario: "s", objectivePercentile: "p99", objectiveNanoseconds: 1,
        heldPerSecond: 2.5, missedPerSecond: 3.5, windows: 4, isMonotone: false, outcome: .measured,
        reason: "why"))
  }

  @Test func whatIsUnknownIsEmptyAndWhatIsWrongNeedsAReason() throws {
    var window = LoadWindow(
      subject: Self.subject, round: 0, position: 0, offeredPerSecond: 1, windowNanoseconds: 1, due: 1,
      completed: 1, peakInFlight: 1, drainNanoseconds: 0, outcome: .measured)
    let fields = try CSVLine.split(CSVWriter.line(window).dropLast().utf8)
    for (column, field) in zip(LoadWindow.columns, fields) where column.name.hasPrefix("p9") {
      #expect(field.isEmpty)
    }
    window.outcome = .failed
    #expect(throws: ResultsError.self) { try CSVWriter.line(window) }
  }
}
