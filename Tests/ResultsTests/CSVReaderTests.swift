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

  struct Fault: Sendable {
    let text: String
    let line: Int
    let column: String?
    let problem: String
  }

  private static let faults = [
    Fault(text: "", line: 1, column: nil, problem: "the file is empty"),
    Fault(
      text: "run,generation", line: 1, column: nil, problem: "is cut off: it does not end with a line feed"),
    Fault(text: "\u{FEFF}" + header, line: 1, column: nil, problem: "starts with a byte order mark"),
    Fault(text: header.replacing("\n", with: "\r\n"), line: 1, column: nil, problem: "ends with CR LF"),
    Fault(text: header + row.replacing("\n", with: "\r\n"), line: 2, column: nil, problem: "ends with CR LF"),
    Fault(
      text: header.replacing(",wall_ns", with: ""), line: 1, column: "wall_ns",
      problem: "is missing from the header"),
    Fault(
      text: header.replacing("\n", with: ",mood\n"), line: 1, column: "mood", problem: "is not known here"),
    Fault(
      text: header.replacing(",wall_ns", with: ",time"), line: 1, column: "wall_ns",
      problem: "is missing from the header, where time is not known"),
    // What earlier versions lack is not to blame.
    Fault(
      text: Sample.columns.prefix(Sample.firstColumnCount).map(\.name).joined(separator: ",") + ",mood\n",
      line: 1, column: "mood", problem: "is not known here"),
    Fault(
      text: header.replacing("run,generation", with: "generation,run"), line: 1, column: "generation",
      problem: "stands twice or at the wrong place in the header"),
    Fault(
      text: header.replacing("\n", with: ",run\n"), line: 1, column: "run",
      problem: "stands twice or at the wrong place in the header"),
    Fault(
      text: header + "a,b\n", line: 2, column: nil,
      problem: "has 2 fields where \(Sample.columns.count) belong"),
    Fault(
      text: header + "\n", line: 2, column: nil,
      problem: "has 1 fields where \(Sample.columns.count) belong"),
    Fault(
      text: header + row + row("wall_ns", "nan"), line: 3, column: "wall_ns",
      problem: "holds \"nan\", which is no whole number"),
    Fault(
      text: header + row("wall_ns", "-5"), line: 2, column: "wall_ns", problem: "is -5, which is negative"),
    Fault(
      text: header + row("fan_out", ""), line: 2, column: "fan_out",
      problem: "is empty, but this column always has a value"),
    Fault(
      text: header + row("iterations", "0"), line: 2, column: "iterations",
      problem: "is 0, which is less than 1"),
    Fault(
      text: header + row("dropped", "because"), line: 2, column: "dropped",
      problem: "holds \"because\", which is none of: warm_up, disturbed"),
    Fault(
      text: header + row("wall_ns", ""), line: 2, column: nil,
      problem: "is inconsistent: wall_ns is empty or 0, but the outcome is measured"),
    Fault(
      text: header + row("reason", "\"x"), line: 2, column: nil,
      problem: "has a quoted field that does not end"
    ),
    Fault(
      text: header + row + row.dropLast(3), line: 3, column: nil,
      problem: "is cut off: it does not end with a line feed"),
  ]

  @Test(arguments: faults)
  func everyFaultNamesFileLineColumnAndWhatToDo(fault: Fault) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(fault.text, to: "samples.csv")
    let error = #expect(throws: ResultsError.self) { try CSVReader<Sample>(path).rest() }
    guard case .malformed(path, let line, let column, let problem, let advice) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect((line, column, problem) == (fault.line, fault.column, fault.problem))
    #expect(!advice.isEmpty)
    #expect(error?.description.hasPrefix("\(path):\(fault.line): ") == true)
  }

  @Test func whereverAKillCutsTheFileTheWholeRowsAreRead() throws {
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
  func aFileCutBeforeItsHeaderEndsHoldsNothingToRead(length: Int) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(String(Self.header.prefix(length).dropLast(1)), to: "samples.csv")
    let error = #expect(throws: ResultsError.self) {
      try CSVReader<Sample>(path, dropsTruncatedLastRow: true)
    }
    let problem = length == 0 ? "the file is empty" : "is cut off: the file has no whole line"
    #expect(error?.description.hasPrefix("\(path):1: \(problem). Record the run again.") == true)
  }

  @Test func aWholeFileIsNotReportedAsCutOff() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.header + Self.row, to: "samples.csv")
    let reader = try CSVReader<Sample>(path, dropsTruncatedLastRow: true)
    #expect(try reader.rest().count == 1)
    #expect(reader.truncatedLine == nil)
  }

  @Test func aFileLargerThanTheBufferIsReadRowByRow() throws {
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
  func aFileOfAnEarlierVersionIsReadAndWhatItLacksIsUnknown(columns: Int) throws {
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

  @Test func aMissingFileIsNamed() {
    #expect(throws: ResultsError.cannotRead(path: "/nowhere.csv", reason: "No such file or directory")) {
      try CSVReader<Sample>("/nowhere.csv")
    }
  }
}
