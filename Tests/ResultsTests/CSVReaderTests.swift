import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct CSVReaderTests {
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
    // What earlier versions lack is not to blame.
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
      "is inconsistent: wall_ns is empty or 0, but the outcome is measured"),
    Fault(header + row("reason", "\"x"), 2, nil, "has a quote that is not closed, or stands within a field"),
    Fault(header + row + row("fan_out", "0"), 3, "fan_out", "is 0, where line 2 has 10 for publish-10"),
    Fault(header + row + row.dropLast(3), 3, nil, "is cut off: it does not end with a line feed"),
  ]

  @Test(arguments: faults)
  func `every fault names file, line and column, and what to do`(fault: Fault) throws {
    let folder = try TemporaryFolder()
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
    let folder = try TemporaryFolder()
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
    let folder = try TemporaryFolder()
    let wide = Self.header.map { "\($0)\0" }.joined()
    let text = separator == "\0" ? wide : Self.header.replacing(",", with: separator)
    let path = try folder.write(text, to: "samples.csv")
    let error = #expect(throws: ResultsError.self) { try CSVReader<Sample>(path) }
    #expect(error?.description.hasPrefix("\(path):1: \(problem). Save it as UTF-8 with commas") == true)
  }

  @Test func `wherever a kill cuts the file, whole rows are read`() throws {
    let folder = try TemporaryFolder()
    let second = Self.row("round", "1")
    for cut in 1..<second.utf8.count {
      let path = try folder.write(Self.header + Self.row + second.dropLast(cut), to: "samples.csv")
      let reader = try CSVReader<Sample>(path, dropsTruncatedLastRow: true)
      #expect(try reader.rest().map(\.round) == [0])
      #expect(reader.truncatedLine == (cut == second.utf8.count ? nil : 3))
    }
  }

  @Test(arguments: [0, 5, 500])
  func `a file cut inside its header is refused`(length: Int) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(String(Self.header.prefix(length).dropLast(1)), to: "samples.csv")
    let error = #expect(throws: ResultsError.self) {
      try CSVReader<Sample>(path, dropsTruncatedLastRow: true)
    }
    let problem = length == 0 ? "the file is empty" : "is cut off: the file has no whole line"
    #expect(error?.description.hasPrefix("\(path):1: \(problem). Record the run again.") == true)
  }

  @Test func `a whole file is not reported as cut off`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.header + Self.row, to: "samples.csv")
    let reader = try CSVReader<Sample>(path, dropsTruncatedLastRow: true)
    #expect(try reader.rest().count == 1)
    #expect(reader.truncatedLine == nil)
  }

  @Test func `a file larger than the buffer is read row by row`() throws {
    let folder = try TemporaryFolder()
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
    let folder = try TemporaryFolder()
    let row = try fullSample.csvLine()
    let path = try folder.write(earlier(Self.header) + earlier(row), to: "samples.csv")
    let sample = try #require(try CSVReader<Sample>(path).next())
    #expect(sample.dropped == .disturbed)
    #expect(sample.failureToCompletionNanoseconds == (columns > 35 ? 27 : nil))
    #expect(sample.heartbeatWorstNanoseconds == nil)
    let mixed = try folder.write(earlier(Self.header) + row, to: "mixed.csv")
    #expect(throws: ResultsError.self) { try CSVReader<Sample>(mixed).next() }
  }

  @Test func `a missing file is named`() {
    #expect(throws: ResultsError.cannotRead(path: "/nowhere.csv", reason: "No such file or directory")) {
      try CSVReader<Sample>("/nowhere.csv")
    }
  }
}
