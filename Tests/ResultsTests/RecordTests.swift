import TestSupport
import Testing

@testable import Results

/// Every kind of row, with a different value in each column where its type has enough of them.
@Suite(.ownThread) struct RecordTests {
  @Test(
    arguments: [
      Sample.self, CellSummary.self, GrowthRecord.self, CrossoverRecord.self, DuetRound.self,
      CountRecord.self,
      LoadWindow.self, LoadSummary.self, LatencyBucket.self, LoadLimit.self,
    ] as [any CSVRecord.Type])
  func `every column has its own value, and is read as it was written`(record: any CSVRecord.Type) throws {
    try check(record)
  }

  private func check<Row: CSVRecord>(_: Row.Type) throws {
    var row = Row()
    var texts: [String] = []
    for (index, column) in Row.columns.enumerated() {
      let words = column.unit.split { !$0.isLetter && $0 != "_" }.map(String.init)
      let candidates = ["\(index + 7)", "0.25;0.75", "none", "false"] + words
      texts.append(
        try #require(
          candidates.first { (try? column.read($0, &row)) != nil }, "\(column.name): \(column.unit)"))
    }
    for (column, text) in zip(Row.columns, texts) { #expect(try column.write(row) == text, "\(column.name)") }
  }
}

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

@Suite(.ownThread) struct GrowthRecordTests {
  @Test func `a stopped series needs a reason`() {
    var record = makeGrowth()
    #expect(throws: Never.self) { try CSVText.text([record]) }
    record.stoppedAtFanOut = 10
    #expect(throws: ResultsError.self) { try CSVText.text([record]) }
  }
}

@Suite(.ownThread) struct LoadRowsTests {
  @Test func `unknown values are empty, and a failed window needs a reason`() throws {
    var window = LoadWindow {
      $0.subject = LoadSubject {
        ($0.run, $0.contender, $0.scenario, $0.pattern, $0.service) = (
          "r", "futures", "s", "publish", "latency"
        )
        ($0.fanOut, $0.payloadBytes, $0.schedule) = (10, 1, "poisson")
      }
      ($0.round, $0.position, $0.offeredPerSecond, $0.windowNanoseconds) = (0, 0, 1, 1)
      ($0.posts.due, $0.posts.completed, $0.posts.peakInFlight, $0.drainNanoseconds) = (1, 1, 1, 0)
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

@Suite(.ownThread) struct DefinitionTests {
  private enum Kind: Codable { case plain, timed(nanoseconds: UInt64) }

  private struct Job: Codable {
    var name = "a"
    var seed = UInt64.max
    var share = 0.25
    var isSynced = false
    var limit: Int?
    var kind = Kind.timed(nanoseconds: 7)
    var steps = [1, -2]
  }

  @Test func `every value has a path and a portable text`() throws {
    #expect(
      try Definition.leaves(of: Job()) == [
        "name": "a", "seed": "18446744073709551615", "share": "0.25", "isSynced": "false",
        "kind.timed.nanoseconds": "7", "steps.0": "1", "steps.1": "-2",
      ])
  }
}
