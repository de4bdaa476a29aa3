import Foundation
import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct CSVReaderTests {
  private let folder = Scratch()
  private static let header = Sample.columns.map(\.name).joined(separator: ",") + "\n"
  private static let row = (try? makeSample().csvLine()) ?? ""

  /// The row with one column's cell replaced.
  private static func row(_ column: String, _ value: String) -> String {
    var fields = (try? CSVLine.split(row.dropLast().utf8)) ?? []
    if let index = Sample.columns.firstIndex(where: { $0.name == column }) { fields[index] = value }
    return fields.joined(separator: ",") + "\n"
  }

  private static let faults = [
    Fault("", 1, nil, "the file is empty"),
    Fault("run,generation", 1, nil, "is cut off: it does not end with a line feed"),
    Fault(header.replacing(",wall_ns", with: ""), 1, "wall_ns", "is missing from the header"),
    Fault(header.replacing("\n", with: ",mood\n"), 1, "mood", "is not known here"),
    Fault(
      header.replacing(",wall_ns", with: ",time"), 1, "wall_ns",
      "is missing from the header, where time is not known"),
    // Columns that earlier versions lack are not at fault.
    Fault(
      Sample.columns.prefix(Sample.firstColumnCount).map(\.name).joined(separator: ",") + ",mood\n",
      1, "mood", "is not known here"),
    Fault(header.replacing("\n", with: ",run\n"), 1, "run", "stands twice in the header"),
    Fault(header + "a,b\n", 2, nil, "has 2 fields where \(Sample.columns.count) belong"),
    Fault(header + row + row("wall_ns", "nan"), 3, "wall_ns", "holds \"nan\", which is no whole number"),
    Fault(header + row("wall_ns", "-5"), 2, "wall_ns", "is -5, which is negative"),
    Fault(header + row("fan_out", ""), 2, "fan_out", "is empty, but this column always has a value"),
    Fault(header + row("iterations", "0"), 2, "iterations", "is 0, which is less than 1"),
    Fault(
      header + row("dropped", "because"), 2, "dropped",
      "holds \"because\", which is none of: warm_up, disturbed"),
    Fault(
      header + row("wall_ns", ""), 2, nil,
      "is inconsistent: wall_ns is empty or 0, but column outcome says that the sample was measured"),
    Fault(header + row("reason", "\"x"), 2, nil, "has a quote that is not closed, or stands within a field"),
    Fault(header + row + row("fan_out", "0"), 3, "fan_out", "is 0, where line 2 has 10 for publish-10"),
    Fault(header + row + row.dropLast(3), 3, nil, "is cut off: it does not end with a line feed"),
  ]

  @Test(arguments: faults)
  func `every fault names file, line and column, and what to do`(fault: Fault) throws {
    let path = try folder.write(fault.text, to: "samples.csv")
    let advice = fault.expect(of: path) { _ = try CSVReader<Sample>(path).rest() }
    #expect(!advice.isEmpty)
  }

  @Test(arguments: [
    "\u{FEFF}" + header + row, (header + row).replacing("\n", with: "\r\n"),
    header + "\n" + row + ",,\r\n\n",
    "," + header + "0," + row, header + row.replacing(",20,measured,", with: ",20.0,measured,"),
    try! permuted(header) + permuted(row),
  ])
  func `a file that another program saved again reads as before`(text: String) throws {
    let rows = try CSVReader<Sample>(folder.write(text, to: "samples.csv")).rest()
    #expect(rows == [makeSample()])
  }

  private static func permuted(_ line: String) throws -> String {
    CSVLine.join(try CSVLine.split(line.dropLast().utf8).reversed())
  }

  @Test(arguments: [
    (";", "has semicolons between its fields, where commas belong"),
    ("\t", "has tabs between its fields, where commas belong"), ("\0", "is UTF-16"),
  ])
  func `another kind of file is called by its name`(separator: String, problem: String) throws {
    let wide = Self.header.map { "\($0)\0" }.joined()
    let text = separator == "\0" ? wide : Self.header.replacing(",", with: separator)
    let path = try folder.write(text, to: "samples.csv")
    let error = #expect(throws: ResultsError.self) { try CSVReader<Sample>(path) }
    #expect(error?.description.hasPrefix("\(path):1: \(problem). Save it as UTF-8 with commas") == true)
  }

  @Test func `wherever a kill cuts the file, whole rows are read`() throws {
    let second = Self.row("round", "1")
    for cut in 0..<second.utf8.count {
      let path = try folder.write(Self.header + Self.row + second.dropLast(cut), to: "samples.csv")
      let reader = try CSVReader<Sample>(path, dropsTruncatedLastRow: true)
      #expect(try reader.rest().map(\.round) == (cut == 0 ? [0, 1] : [0]))
      #expect(reader.truncatedLine == (cut == 0 ? nil : 3))
    }
  }

  @Test(arguments: [0, 5, 500])
  func `a file cut inside its header is refused`(length: Int) throws {
    let path = try folder.write(String(Self.header.prefix(length).dropLast(1)), to: "samples.csv")
    let error = #expect(throws: ResultsError.self) {
      try CSVReader<Sample>(path, dropsTruncatedLastRow: true)
    }
    let problem = length == 0 ? "the file is empty" : "is cut off: the file has no whole line"
    #expect(error?.description.hasPrefix("\(path):1: \(problem). Record the run again.") == true)
  }

  @Test func `a file larger than the buffer is read row by row`() throws {
    let text = Self.header + (0..<3_000).map { Self.row("round", "\($0)") }.joined()
    let reader = try CSVReader<Sample>(folder.write(text, to: "samples.csv"))
    var round = 0
    while let sample = try reader.next() {
      #expect(sample.round == round)
      round += 1
    }
    #expect(round == 3_000)
  }

  @Test(arguments: 35...39)
  func `a file of an earlier version is read, with new columns unknown`(columns: Int) throws {
    func earlier(_ line: String) throws -> String {
      CSVLine.join(Array(try CSVLine.split(line.dropLast().utf8).prefix(columns)))
    }
    let row = try fullSample.csvLine()
    let path = try folder.write(earlier(Self.header) + earlier(row), to: "samples.csv")
    let sample = try #require(try CSVReader<Sample>(path).next())
    #expect(sample.dropped == .disturbed)
    #expect(sample.failureToCompletionNanoseconds == (columns > 35 ? 27 : nil))
    #expect(sample.heartbeatWorstNanoseconds == nil)
    let mixed = try folder.write(earlier(Self.header) + row, to: "mixed.csv")
    #expect(throws: ResultsError.self) { try CSVReader<Sample>(mixed).next() }
  }
}

@Suite(.ownThread) struct CSVFieldTests {
  @Test(
    arguments: [
      (0, "0"), (1, "1"), (-3, "-3"), (1.5, "1.5"), (1.0 / 3, "0.333333333"), (1_234_567_890, "1234567890"),
      (12_345_678_901.2, "12345678900"), (0.1 + 0.2, "0.3"), (-0.000012345, "-1.2345e-05"),
      (1e-305, "1e-305"),
    ] as [(Double, String)])
  func `a number is written with nine significant digits`(value: Double, expected: String) throws {
    #expect(try value.csvText() == expected)
    #expect(try Double(csvText: expected).csvText() == expected)
  }

  @Test(
    arguments: [
      (Double.self, ["nan", "NaN", "inf", "-Infinity", "0x1p3", "1,5", "", "1 ", "e", "1e999", "1e31"]),
      (Int.self, ["1.5", ".0", "+1", "+1.0", "1e3", " 1", "", "9223372036854775808", "0x1"]),
      (CountRanges.self, ["wall=1..2", "retains", "retains=1", "retains=2..1", "retains=-1..1"]),
      (CountRanges.self, ["retains=1..2..3", "retains=a..b", "retains=0..inf"]),
      (ExactCounts.self, ["allocations;wall"]),
      (RankProbabilities.self, ["1.01", "0.5;", ";", "0.5,0.5", "-0.1;1", "nan", "0.5;x"]),
    ] as [(any CSVField.Type, [String])])
  func `text of another kind is refused`(field: any CSVField.Type, texts: [String]) {
    for text in texts {
      #expect(throws: FieldProblem.self, "\(text)") { _ = try field.init(csvText: text) }
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a number that is not finite is never written`(value: Double) {
    #expect(throws: FieldProblem.self) { try value.csvText() }
  }

  @Test func `an unknown word is refused with the list of known ones`() {
    #expect(throws: FieldProblem("holds \"okay\", which is none of: measured, failed, wrong, timed_out")) {
      try Outcome(csvText: "okay")
    }
  }

  @Test(arguments: [
    (["a", "b"], "a,b"), (["", ""], ","), (["a,b", "c"], "\"a,b\",c"), (["say \"x\""], "\"say \"\"x\"\"\""),
    (["", "a"], ",a"), ([" a "], " a "),
  ])
  func `fields are quoted only where needed, and read back`(fields: [String], line: String) throws {
    #expect(CSVLine.join(fields) == line + "\n")
    #expect(try CSVLine.split(line.utf8) == fields)
  }

  @Test(arguments: ["\"a", "\"a\"b,c", "a\"b", "a\tb", "\"a\rb\""])
  func `malformed lines are refused`(line: String) {
    #expect(throws: FieldProblem.self) { try CSVLine.split(line.utf8) }
  }

  @Test func `bytes that are not UTF-8 are refused`() {
    #expect(throws: FieldProblem("has bytes that are not UTF-8")) { try CSVLine.split([0x61, 0xFF]) }
  }

  @Test(arguments: [
    ([CountRanges.Entry](), "none"), ([.init(name: "retains", least: 12, most: 12.5)], "retains=12.0..12.5"),
    (
      [.init(name: "objects", least: 0, most: 1), .init(name: "releases", least: 0.25, most: 1e20)],
      "objects=0.0..1.0;releases=0.25..1e+20"
    ),
  ])
  func `ranges of counts have a text, and so have none`(entries: [CountRanges.Entry], text: String) throws {
    #expect(CountRanges(entries).csvText() == text)
    #expect(try CountRanges(csvText: text) == CountRanges(entries))
  }

  @Test(arguments: [
    ([String](), "none"), (["allocations"], "allocations"), (["objects", "releases"], "objects;releases"),
  ])
  func `exact counts have a text, and so have none`(names: [String], text: String) throws {
    #expect(ExactCounts(names).csvText() == text)
    #expect(try ExactCounts(csvText: text) == ExactCounts(names))
  }

  @Test(
    arguments: [
      ([0.925, 0.07, 0.005], "0.92;0.07;0.00"), ([0.705, 0.295], "0.70;0.30"), ([1], "1.00"),
      ([0, 1], "0.00;1.00"),
    ] as [([Double], String)])
  func `probabilities have two decimals, first rank first`(values: [Double], text: String) throws {
    #expect(RankProbabilities(values).csvText() == text)
    #expect(try RankProbabilities(csvText: text).csvText() == text)
  }

  @Test(arguments: ["callbacks", "gcd-groups", "publish-1000/k=4", "a", "v1.2_x:y+z"])
  func `everyday names pass`(name: String) throws { try RecordName.check(name) }

  @Test(arguments: [
    "", "-a", "=a", "a b", "a,b", "a\"b", "a\n", "ü", ".a", String(repeating: "a", count: 101),
  ])
  func `names that break scripts are refused`(name: String) {
    #expect(throws: FieldProblem.self) { try RecordName.check(name) }
  }

  @Test(arguments: ["latest", "a/b", "..", "", "a:b"])
  func `a run's name must be a folder's name`(name: String) {
    #expect(throws: FieldProblem.self) { try RecordName.checkRun(name) }
  }
}

@Suite(.ownThread) struct CSVWriterTests {
  private let folder = Scratch()
  private var path: String { folder.path + "/samples.csv" }

  @Test func `every row is on disk before append returns`() throws {
    let writer = try CSVWriter<Sample>(creating: path)
    #expect(try contents(path) == Sample.columns.map(\.name).joined(separator: ",") + "\n")
    for round in 0..<3 {
      try writer.append(makeSample(round: round))
      // Neither closed nor flushed: a kill would leave whole rows.
      #expect(try CSVReader<Sample>(path).rest().map(\.round) == Array(0...round))
    }
  }

  @Test func `a file that exists is not overwritten`() throws {
    let path = try folder.write("precious", to: "samples.csv")
    #expect(throws: ResultsError.exists(path: path, option: "--output")) {
      try CSVWriter<Sample>(creating: path)
    }
    #expect(throws: ResultsError.exists(path: path, option: "--record")) {
      try CSVWriter<DuetRound>(creating: path)
    }
    #expect(try contents(path) == "precious")
  }

  @Test func `rows of several threads stay whole`() throws {
    let writer = try CSVWriter<Sample>(creating: path)
    DispatchQueue.concurrentPerform(iterations: 200) { try? writer.append(makeSample(round: $0)) }
    #expect(try Set(CSVReader<Sample>(path).rest().map(\.round)) == Set(0..<200))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `a full disk is reported with path and reason`() throws {
    // /dev/full refuses every write, but also O_EXCL, so the writer's initializer cannot open it.
    let descriptor = open("/dev/full", O_WRONLY)
    defer { close(descriptor) }
    #expect(throws: ResultsError.cannotWrite(path: "x.csv", reason: "No space left on device")) {
      try POSIXFile.writeAll([1], to: descriptor, path: "x.csv")
    }
  }

  @Test func `a row cut short by a size limit is removed`() async {
    await #expect(processExitsWith: .success) {
      let folder = Scratch()
      let path = folder.path + "/samples.csv"
      let writer = try CSVWriter<Sample>(creating: path)
      try writer.append(makeSample())
      let whole = try contents(path)
      try FileSizeLimit.with(bytes: whole.utf8.count + 10) {
        let error = #expect(throws: ResultsError.self) { try writer.append(makeSample(round: 1)) }
        try #require(error == .cannotWrite(path: path, reason: "File too large"))
      }
      try #require(contents(path) == whole)
      try writer.append(makeSample(round: 2))
      try #require(CSVReader<Sample>(path).rest().map(\.round) == [0, 2])
    }
  }

  #if compiler(>=6.3)
    @Test func `a killed process leaves every appended row`() async throws {
      let path = self.path
      let rows = 500
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, rows = rows as Int] in
        let writer = try CSVWriter<Sample>(creating: path)
        for round in 0..<rows { try writer.append(makeSample(round: round)) }
        // Neither deinit nor exit handlers run.
        kill(getpid(), SIGKILL)
        while true { pause() }
      }
      let reader = try CSVReader<Sample>(path)
      #expect(try reader.rest().map(\.round) == Array(0..<rows))
    }
  #endif

  @Test func `nothing is appended after close`() throws {
    let writer = try CSVWriter<Sample>(creating: path)
    try writer.close()
    try writer.close()
    #expect(throws: ResultsError.cannotWrite(path: path, reason: "it was closed before")) {
      try writer.append(makeSample())
    }
  }

  @Test(arguments: [
    (makeSample(contender: "=cmd"), "contender"), (makeSample(run: "latest"), "run"),
    (makeSample(wallNanoseconds: -1), "wall_ns"), (makeSample(wallNanoseconds: nil), "the row:"),
    (makeSample(wallNanoseconds: 0), "the row:"), (makeSample(outcome: .failed), "the row:"),
  ])
  func `a row that the reader would refuse is not written`(sample: Sample, column: String) throws {
    let writer = try CSVWriter<Sample>(creating: path)
    let error = #expect(throws: ResultsError.self) { try writer.append(sample) }
    #expect(error?.description.hasPrefix("not recorded: \(column) ") == true, "\(String(describing: error))")
    #expect(try CSVReader<Sample>(path).rest().isEmpty)
  }

  @Test func `free text is neutralised`() throws {
    let line = try makeSample(outcome: .failed, reason: "=HYPERLINK(\"x\")\nsecond, line").csvLine()
    #expect(line.contains("\"'=HYPERLINK(\"\"x\"\") second, line\""))
    #expect(line.count { $0 == "\n" } == 1)
  }
}
