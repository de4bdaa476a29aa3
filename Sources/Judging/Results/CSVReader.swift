import Foundation

/// Reads a CSV file of this suite row by row, refusing whatever no version of the writer would have written.
///
/// Memory does not grow with the file. Not for use from several threads.
public final class CSVReader<Row: CSVRecord> {
  public let path: String
  /// The number of a last line without its line feed, left out because it was cut off by a kill.
  public private(set) var truncatedLine: Int?

  private let descriptor: Int32
  private let dropsTruncatedLastRow: Bool
  private var pending: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  private var line = 0
  /// Those that the file has: all, or the first ones if an earlier version wrote it.
  private var columns = Row.columns

  /// Opens the file and checks its header.
  ///
  /// - Parameter dropsTruncatedLastRow: leaves out a last line without line feed and tells of it in
  ///   ``truncatedLine``, instead of throwing. Right for a file that is appended to, such as samples.csv.
  public init(_ path: String, dropsTruncatedLastRow: Bool = false) throws(ResultsError) {
    self.path = path
    self.dropsTruncatedLastRow = dropsTruncatedLastRow
    descriptor = try POSIXFile.openForReading(path)
    try checkHeader()
  }

  deinit { _ = close(descriptor) }

  /// The next row, or nil after the last.
  public func next() throws(ResultsError) -> Row? {
    guard let bytes = try nextLine() else { return nil }
    let fields = try split(bytes)
    guard fields.count == columns.count else {
      throw malformed(
        nil, "has \(fields.count) fields where \(columns.count) belong", advice: Self.recordAgain)
    }
    var row = Row.blank
    for index in columns.indices {
      do throws(FieldProblem) {
        try columns[index].read(fields[index], &row)
      } catch {
        throw malformed(columns[index].name, error.description, advice: Self.correctIt)
      }
    }
    do throws(FieldProblem) {
      try row.validate()
    } catch {
      throw malformed(nil, "is inconsistent: \(error)", advice: Self.correctIt)
    }
    return row
  }

  /// All rows that are left.
  public func rest() throws(ResultsError) -> [Row] {
    var rows: [Row] = []
    while let row = try next() { rows.append(row) }
    return rows
  }

  /// In bytes; those of this suite have less than a hundredth of it.
  private static var longestLine: Int { 1 << 20 }

  private static var correctIt: String { "Correct or remove the line, or \(Row.remedy)." }
  private static var recordAgain: String {
    "Another version wrote the file, or it was edited: \(Row.remedy) with this version."
  }
  private static var saveAgain: String {
    "Save it as plain UTF-8 with LF line ends and without a byte order mark."
  }

  private func checkHeader() throws(ResultsError) {
    guard let bytes = try nextLine() else {
      line = 1
      throw malformed(
        nil, truncatedLine == nil ? "the file is empty" : "is cut off: the file has no whole line",
        advice: "\(Row.remedy.prefix(1).uppercased())\(Row.remedy.dropFirst()).")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw malformed(nil, "starts with a byte order mark", advice: Self.saveAgain)
    }
    let names = try split(bytes)
    let expected = Row.columns.map(\.name)
    if names.count >= Row.firstColumnCount, expected.starts(with: names) {
      columns = Array(Row.columns.prefix(names.count))
      return
    }
    // An earlier version's file lacks the last ones and is whole.
    let missing = expected.prefix(Row.firstColumnCount).filter { !names.contains($0) }
    let extra = names.filter { !expected.contains($0) }.map { SafeText.excerpt($0) }
    if let column = missing.first {
      let others =
        missing.count > 1
        ? ", as are \(missing.count - 1) more" : extra.first.map { ", where \($0) is not known" } ?? ""
      throw malformed(column, "is missing from the header\(others)", advice: Self.recordAgain)
    }
    if let column = extra.first {
      throw malformed(
        column, "is not known here" + (extra.count > 1 ? ", nor are \(extra.count - 1) more" : ""),
        advice: Self.recordAgain)
    }
    let misplaced = zip(names, expected).first { $0 != $1 }?.0 ?? names[min(expected.count, names.count - 1)]
    throw malformed(misplaced, "stands twice or at the wrong place in the header", advice: Self.recordAgain)
  }

  private func split(_ bytes: ArraySlice<UInt8>) throws(ResultsError) -> [String] {
    if bytes.last == UInt8(ascii: "\r") {
      throw malformed(nil, "ends with CR LF", advice: Self.saveAgain)
    }
    do throws(FieldProblem) {
      return try CSVLine.split(bytes)
    } catch {
      throw malformed(nil, error.description, advice: Self.correctIt)
    }
  }

  /// The next line without its line feed, or nil at the end.
  private func nextLine() throws(ResultsError) -> ArraySlice<UInt8>? {
    while true {
      if let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        line += 1
        return pending[start..<end]
      }
      if isAtEnd {
        guard start < pending.count else { return nil }
        return try endOfTruncatedFile()
      }
      guard pending.count - start < Self.longestLine else {
        line += 1
        throw malformed(nil, "has no end after \(Self.longestLine) bytes", advice: Self.recordAgain)
      }
      let bytes = try POSIXFile.readSome(64 * 1024, from: descriptor, path: path)
      isAtEnd = bytes.isEmpty
      pending = Array(pending[start...]) + bytes
      start = 0
    }
  }

  private func endOfTruncatedFile() throws(ResultsError) -> ArraySlice<UInt8>? {
    start = pending.count
    line += 1
    guard dropsTruncatedLastRow else {
      throw malformed(nil, "is cut off: it does not end with a line feed", advice: Self.correctIt)
    }
    truncatedLine = line
    return nil
  }

  private func malformed(_ column: String?, _ problem: String, advice: String) -> ResultsError {
    .malformed(path: path, line: line, column: column, problem: problem, advice: advice)
  }
}
