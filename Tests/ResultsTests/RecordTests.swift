import Foundation
import TestSupport
import Testing

@testable import Results

/// Every kind of row, with a different value in each column whose type has enough of them.
@Suite(.ownThread) struct RecordTests {
  @Test(
    arguments: [
      Sample.self, CellSummary.self, GrowthRecord.self, DuetRound.self,
      CountRecord.self, LoadWindow.self, LoadSummary.self, LatencyBucket.self, LoadLimit.self,
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

  private let full = CellSummary {
    ($0.run, $0.contender, $0.scenario, $0.pattern) = ("r1", "futures", "publish-10", "publish")
    ($0.service, $0.fanOut, $0.samples, $0.outcome) = ("instant", 10, 6, .measured)
    ($0.medianNanoseconds, $0.overheadNanosecondsPerUpload) = (8.5, -14.25)
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

  @Test func `a stopped series needs a reason`() {
    var record = makeGrowth()
    #expect(throws: Never.self) { try CSVText.text([record]) }
    record.stoppedAtFanOut = 10
    #expect(throws: ResultsError.self) { try CSVText.text([record]) }
  }

  @Test func `unknown values are empty, and a failed window needs a reason`() throws {
    var window = LoadWindow {
      $0.subject = LoadSubject {
        ($0.run, $0.contender, $0.scenario, $0.pattern) = ("r", "futures", "s", "publish")
        ($0.service, $0.schedule) = ("latency", "poisson")
      }
    }
    let fields = try CSVLine.split(window.csvLine().dropLast().utf8)
    for (column, field) in zip(LoadWindow.columns, fields) where column.name.hasPrefix("p9") {
      #expect(field.isEmpty)
    }
    window.outcome = .failed
    #expect(throws: ResultsError.self) { try window.csvLine() }
  }

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

@Suite(.ownThread) struct LogHistogramTests {
  /// The largest value of every power of two, its neighbours, and everything in the range where buckets are exact.
  @Test func `every number is in a bucket no wider than promised`() {
    var values = Array(UInt64(0)...1_000)
    for power in 10..<64 {
      let edge = UInt64(1) << UInt64(power)
      values += [edge - 1, edge, edge + 1, edge + edge / 3]
    }
    values.append(.max)
    let misplaced = values.filter { value in
      var histogram = LogHistogram()
      histogram.add(value)
      let bucket = histogram.buckets[0]
      let isNarrow =
        Double(bucket.high - bucket.low) <= Double(bucket.low) * LogHistogram.relativePrecision
      let isInside = bucket.low <= value && value <= bucket.high
      return !isNarrow || !isInside || histogram.max != value || histogram.percentile(0.5) != value
    }
    #expect(misplaced == [])
  }

  @Test func `buckets neither overlap nor leave a gap`() {
    var histogram = LogHistogram()
    // One of each of the first ten thousand.
    for value in 0..<10_000 as Range<UInt64> { histogram.add(value) }
    let buckets = histogram.buckets
    #expect(buckets[0].low == 0)
    #expect(zip(buckets, buckets.dropFirst()).allSatisfy { $0.high + 1 == $1.low })
    #expect(buckets.dropLast().allSatisfy { $0.count == Int($0.high - $0.low) + 1 })
    #expect(buckets.reduce(0) { $0 + $1.count } == 10_000)
  }

  @Test(arguments: [0.01, 0.5, 0.9, 0.99, 0.999, 1])
  func `a percentile is the nearest rank within the precision`(share: Double) throws {
    var values: [UInt64] = []
    var value = 17.0
    while values.count < 20_000 {
      values.append(UInt64(value))
      value *= 1.000_5
    }
    var histogram = LogHistogram()
    for value in values.reversed() { histogram.add(value) }
    let exact = values.sorted()[Int((share * 20_000).rounded(.up)) - 1]
    let got = try #require(histogram.percentile(share))
    #expect(got >= exact)
    #expect(Double(got) <= Double(exact) * (1 + LogHistogram.relativePrecision))
  }

  @Test func `a histogram survives JSON`() throws {
    var histogram = LogHistogram()
    for value in [0, 5, 300, 5_000_000, .max] as [UInt64] { histogram.add(value) }
    #expect(try JSONDecoder().decode(LogHistogram.self, from: JSONEncoder().encode(histogram)) == histogram)
    let empty = LogHistogram()
    #expect(try JSONDecoder().decode(LogHistogram.self, from: JSONEncoder().encode(empty)) == empty)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(LogHistogram.self, from: Data("[5,99999999,1]".utf8))
    }
  }
}

@Suite(.ownThread) struct ColumnTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
  @Test func `columns that were added later are optional`() {
    #expect(Sample.columns[Sample.firstColumnCount - 1].name == "dropped")
    #expect(Sample.columns.dropFirst(Sample.firstColumnCount).allSatisfy { !$0.isRequired })
    #expect(CellSummary.columns[CellSummary.firstColumnCount - 1].name == "source_lines")
    #expect(CellSummary.columns.dropFirst(CellSummary.firstColumnCount).allSatisfy { !$0.isRequired })
  }

  @Test(arguments: ["reference-runtimes", "reference"])
  func `the committed runs are readable`(run: String) throws {
    let folder = Self.root + "/results/\(run)"
    #expect(try CSVReader<CellSummary>(folder + "/summary.csv").rest().count > 30)
    // The tests of the pages read the samples that these quote.
    guard Effort.isThorough else { return }
    #expect(try CSVReader<Sample>(folder + "/samples.csv").rest().count > 2_000)
  }

  @Test func `the committed counts are readable`() throws {
    let file = try CountsFile(Self.root + "/results/baseline/counters.csv")
    #expect(try file.keys.allSatisfy { try file.text(replacing: $0, with: file.rows(of: $0)) == file.text() })
    #expect(file.rows.count >= 80)
  }

  @Test func `the column dictionary has every column`() throws {
    let readme = try contents(Self.root + "/results/README.md")
    expect("samples.csv", Sample.self, in: readme)
    expect("summary.csv", CellSummary.self, in: readme)
    expect("pairs.csv", PairRecord.self, in: readme)
    expect("growth.csv", GrowthRecord.self, in: readme)
    expect("bench check --record FILE", DuetRound.self, in: readme)
    expect("baseline/counters.csv", CountRecord.self, in: readme)
    expect("load.csv", LoadWindow.self, in: readme)
    expect("load_summary.csv", LoadSummary.self, in: readme)
    expect("latencies.csv", LatencyBucket.self, in: readme)
    expect("limits.csv", LoadLimit.self, in: readme)
  }

  /// `plot.py` reads by this table: of each column its type or words, its check, and whether it may be empty or absent.
  @Test func `the table that plot.py reads by is that of the columns`() throws {
    let path = Self.root + "/plots/columns.csv"
    let text =
      "file,column,type,check,need\n" + Self.rules("samples.csv", Sample.self)
      + Self.rules("summary.csv", CellSummary.self) + Self.rules("growth.csv", GrowthRecord.self)
      + Self.rules("load_summary.csv", LoadSummary.self) + Self.rules("latencies.csv", LatencyBucket.self)
      + Self.rules("limits.csv", LoadLimit.self)
    let (lines, file) = (text.components(separatedBy: "\n"), try contents(path).components(separatedBy: "\n"))
    #expect(lines.filter { !file.contains($0) } == [])
    #expect(file.filter { !lines.contains($0) } == [])
  }

  private static func rules<Row: CSVRecord>(_ file: String, _ record: Row.Type) -> String {
    record.columns.enumerated().map { place, column in
      let isWord = column.type is any (CSVField & CaseIterable).Type || column.type == Bool.self
      let words = column.unit.filter { $0 != "`" }.components(separatedBy: ", ").joined(separator: "|")
      let need = column.isRequired ? "always" : place < record.firstColumnCount ? "or empty" : "or absent"
      return CSVLine.join([file, column.name, isWord ? words : "\(column.type)", "\(column.check)", need])
    }.joined()
  }

  /// The file's table has its own columns only, and the table of common columns has the rest. Each row has the unit and a meaning.
  private func expect(
    _ file: String, _ record: (some CSVRecord).Type, in readme: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let own = Self.units(below: "### `\(file)`\n", in: readme)
    let all = own.merging(Self.units(below: "### Columns of several files\n", in: readme)) { own, _ in own }
    let names = record.columns.map(\.name)
    #expect(own.keys.filter { !names.contains($0) } == [], "\(file)", sourceLocation: sourceLocation)
    for column in record.columns {
      #expect(all[column.name] == column.unit, "\(file): \(column.name)", sourceLocation: sourceLocation)
    }
  }

  /// The unit of each column that the first table below a heading names; a row may name several columns.
  private static func units(below heading: String, in readme: String) -> [String: String] {
    let section = readme.components(separatedBy: heading).dropFirst().first ?? ""
    let rows = section.components(separatedBy: "\n### ")[0].components(separatedBy: "\n")
      .filter { $0.hasPrefix("| `") && $0.hasSuffix(". |") }
    return rows.map { $0.dropFirst(2).dropLast(2).components(separatedBy: " | ") }.filter { $0.count == 3 }
      .reduce(into: [:]) { units, cells in
        for name in cells[0].components(separatedBy: ", ") {
          units[name.trimmingCharacters(in: ["`"])] = cells[1]
        }
      }
  }

  @Test func `unknown is an empty cell, not zero`() throws {
    let fields = try CSVLine.split(makeSample().csvLine().dropLast().utf8)
    for (column, field) in zip(Sample.columns, fields) where field.isEmpty { #expect(!column.isRequired) }
    #expect(fields[Sample.columns.firstIndex { $0.name == "in_flight_limit" }!] == "")
    #expect(fields[Sample.columns.firstIndex { $0.name == "steal_ns" }!] == "")
  }
}
