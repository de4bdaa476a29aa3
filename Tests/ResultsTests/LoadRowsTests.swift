import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct LoadRowsTests {
  private static let subject = LoadSubject {
    $0.run = "run"
    $0.contender = "futures"
    $0.scenario = "publish-latency-10"
    $0.pattern = "publish"
    $0.service = "latency"
    $0.fanOut = 101
    $0.inFlightLimit = 102
    $0.payloadBytes = 103
    $0.schedule = "poisson"
  }

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
    let fields = try CSVLine.split(row.csvLine().dropLast().utf8)
    #expect(fields.count == Row.columns.count)
    #expect(Set(fields).count == fields.count, "two columns hold the same: \(fields)")
    var copy = Row()
    for (column, field) in zip(Row.columns, fields) { try column.read(field, &copy) }
    #expect(copy == row)
  }

  @Test func aWindowIsReadAsItWasWritten() throws {
    try roundTrip(
      LoadWindow {
        $0.subject = Self.subject
        $0.round = 1
        $0.position = 2
        $0.offeredPerSecond = 3.5
        $0.windowNanoseconds = 4
        $0.posts.due = 5
        $0.posts.completed = 6
        $0.posts.givenUp = 7
        $0.posts.wrong = 8
        $0.posts.peakInFlight = 9
        $0.drainNanoseconds = 10
        $0.idealNanoseconds = 11
        $0.stealNanoseconds = 12
        $0.outcome = .wrong
        $0.reason = "why"
        $0.figures = Self.figures
        $0.objectivePercentile = "p99"
        $0.objectiveNanoseconds = 13
        $0.verdict = .generatorLate
      })
  }

  @Test func aSummaryIsReadAsItWasWritten() throws {
    try roundTrip(
      LoadSummary {
        $0.subject = Self.subject
        $0.offeredPerSecond = 3.5
        $0.windows = 4
        $0.disturbedWindows = 5
        $0.posts = 6
        $0.outcome = .measured
        $0.reason = "why"
        $0.figures = Self.figures
        $0.objectivePercentile = "max"
        $0.objectiveNanoseconds = 7
        $0.verdict = .machineLimit
      })
  }

  @Test func bucketsAndLimitsAreReadAsTheyWereWritten() throws {
    try roundTrip(
      LatencyBucket {
        $0.run = "run"
        $0.contender = "futures"
        $0.scenario = "s"
        $0.offeredPerSecond = 1.5
        $0.lowNanoseconds = 2
        $0.highNanoseconds = 3
        $0.posts = 4
      })
    try roundTrip(
      LoadLimit {
        $0.run = "run"
        $0.contender = "futures"
        $0.scenario = "s"
        $0.objectivePercentile = "p99"
        $0.objectiveNanoseconds = 1
        $0.heldPerSecond = 2.5
        $0.missedPerSecond = 3.5
        $0.windows = 4
        $0.isMonotone = false
        $0.outcome = .measured
        $0.reason = "why"
      })
  }

  @Test func whatIsUnknownIsEmptyAndWhatIsWrongNeedsAReason() throws {
    var window = LoadWindow {
      $0.subject = Self.subject
      $0.round = 0
      $0.position = 0
      $0.offeredPerSecond = 1
      $0.windowNanoseconds = 1
      $0.posts.due = 1
      $0.posts.completed = 1
      $0.posts.peakInFlight = 1
      $0.drainNanoseconds = 0
      $0.outcome = .measured
    }
    let fields = try CSVLine.split(window.csvLine().dropLast().utf8)
    for (column, field) in zip(LoadWindow.columns, fields) where column.name.hasPrefix("p9") {
      #expect(field.isEmpty)
    }
    window.outcome = .failed
    #expect(throws: ResultsError.self) { try window.csvLine() }
  }
}
