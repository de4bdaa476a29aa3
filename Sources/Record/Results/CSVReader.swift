import Foundation
import Synchronization

/// Reads a CSV file of this suite row by row. Accepts what other programs change when they save such a file: a byte order mark, CR LF,
/// `True`, 13.0, empty lines, another order of columns. `plot.py` has the same rules and messages. Not thread-safe.
public final class CSVReader<Row: CSVRecord> {
  private let lines: CSVLines
  /// The columns in the file's order; `nil` for one without a name. A file of an earlier version lacks the last ones.
  let columns: [Column<Row>?]
  /// The number of uploads of each scenario, and the line that first states it.
  private(set) var widths: [String: (fanOut: Int, line: Int)] = [:]

  public var path: String { lines.path }
  /// The number of the last line read.
  public var line: Int { lines.line }
  /// The number of the last line if that line was incomplete and therefore left out; otherwise `nil`.
  public var truncatedLine: Int? { lines.truncatedLine }

  /// Opens the file and checks its header.
  ///
  /// - Parameter dropsTruncatedLastRow: whether to leave out a last line without line feed instead of throwing, for files that grow.
  public init(_ path: String, dropsTruncatedLastRow: Bool = false) throws(ResultsError) {
    lines = try CSVLines(path, dropsTruncatedLastRow: dropsTruncatedLastRow, remedy: Row.remedy)
    let all = Row.columns
    let places = try lines.places(of: all.map(\.name), fewest: Row.firstColumnCount)
    columns = places.map { $0.map { all[$0] } }
  }

  /// Reads whole lines from the middle of a file. Line numbers count from the first of them.
  init(_ part: [UInt8], of columns: [Column<Row>?], path: String) {
    lines = CSVLines(part, path: path, remedy: Row.remedy)
    self.columns = columns
  }

  /// The next row, or `nil` after the last one.
  public func next() throws(ResultsError) -> Row? {
    guard let fields = try lines.fields(columns.count) else { return nil }
    var row = Row()
    for place in columns.indices {
      guard let column = columns[place] else { continue }
      do throws(FieldProblem) {
        try column.read(fields[place], &row)
      } catch {
        throw lines.malformed(column.name, error.description)
      }
    }
    do throws(FieldProblem) {
      try row.validate()
    } catch {
      throw lines.malformed(nil, "is inconsistent: \(error)")
    }
    if let (scenario, fanOut) = row.width {
      let first = widths[scenario] ?? (fanOut, line)
      guard first.fanOut == fanOut else {
        throw lines.malformed(
          "fan_out", "is \(fanOut), where line \(first.line) has \(first.fanOut) for \(scenario)")
      }
      if first.line == line { widths[scenario] = first }
    }
    return row
  }

  public func rest() throws(ResultsError) -> [Row] {
    var rows: [Row] = []
    while let row = try next() { rows.append(row) }
    return rows
  }
}

/// The fields of a CSV file, line by line.
private final class CSVLines {
  let path: String
  private(set) var truncatedLine: Int?

  private let descriptor: Int32?
  private let dropsTruncatedLastRow: Bool
  private let remedy: String
  private var pending: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  private(set) var line = 0

  init(_ path: String, dropsTruncatedLastRow: Bool, remedy: String) throws(ResultsError) {
    self.path = path
    self.dropsTruncatedLastRow = dropsTruncatedLastRow
    self.remedy = remedy
    descriptor = try POSIXFile.openForReading(path)
  }

  init(_ bytes: [UInt8], path: String, remedy: String) {
    (self.path, self.remedy, pending, descriptor) = (path, remedy, bytes, nil)
    (dropsTruncatedLastRow, isAtEnd) = (false, true)
  }

  deinit { if let descriptor { _ = close(descriptor) } }

  /// The limit of a line in bytes: more than a hundred times the longest line that this suite writes.
  private static let longestLine = 1 << 20

  enum Advice { case correct, recordAgain, saveAgain, remedy }

  private func text(_ advice: Advice) -> String {
    switch advice {
    case .correct: "Correct or remove the line, or \(remedy)."
    case .recordAgain: "Another version wrote the file, or it was edited: \(remedy) with this version."
    case .saveAgain: "Save it as UTF-8 with commas between fields and points in numbers, or \(remedy)."
    case .remedy: "\(remedy.prefix(1).uppercased())\(remedy.dropFirst())."
    }
  }

  /// Reads the header. Returns the index of each of its names among the expected names, or `nil` for an empty name.
  func places(of expected: [String], fewest: Int) throws(ResultsError) -> [Int?] {
    guard var bytes = try nextLine() else {
      line = 1
      throw malformed(
        nil, truncatedLine == nil ? "the file is empty" : "is cut off: the file has no whole line", .remedy)
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.prefix(2).contains(0) {
      throw malformed(nil, "is UTF-16", .saveAgain)
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    for (mark, name) in [(";", "semicolons"), ("\t", "tabs")]
    where bytes.contains(mark.utf8.first!) && !bytes.contains(UInt8(ascii: ",")) {
      throw malformed(nil, "has \(name) between its fields, where commas belong", .saveAgain)
    }
    let names = try split(bytes)
    let missing = expected.prefix(fewest).filter { !names.contains($0) }
    let extra = names.filter { !$0.isEmpty && !expected.contains($0) }.map { SafeText.excerpt($0) }
    if let column = missing.first {
      let others =
        missing.count > 1
        ? ", as \(missing.count == 2 ? "is 1" : "are \(missing.count - 1)") more"
        : extra.first.map { ", where \($0) is not known" } ?? ""
      throw malformed(column, "is missing from the header\(others)", .recordAgain)
    }
    if let column = extra.first {
      throw malformed(
        column, "is not known here" + (extra.count > 1 ? ", nor are \(extra.count - 1) more" : ""),
        .recordAgain)
    }
    if let twice = expected.first(where: { name in names.count { $0 == name } > 1 }) {
      throw malformed(twice, "stands twice in the header", .recordAgain)
    }
    return names.map { expected.firstIndex(of: $0) }
  }

  /// The fields of the next line, or `nil` after the last line.
  func fields(_ count: Int) throws(ResultsError) -> [String]? {
    var line = try nextLine()
    while let bytes = line, bytes.allSatisfy({ [UInt8(ascii: ","), UInt8(ascii: "\r")].contains($0) }) {
      line = try nextLine()
    }
    guard let line else { return nil }
    let fields = try split(line)
    guard fields.count == count else {
      throw malformed(nil, "has \(fields.count) fields where \(count) belong", .recordAgain)
    }
    return fields
  }

  func malformed(_ column: String?, _ problem: String, _ advice: Advice = .correct) -> ResultsError {
    .malformed(path: path, line: line, column: column, problem: problem, advice: text(advice))
  }

  private func split(_ bytes: ArraySlice<UInt8>) throws(ResultsError) -> [String] {
    do throws(FieldProblem) {
      return try CSVLine.split(bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes)
    } catch {
      throw malformed(nil, error.description, error == CSVLine.notUTF8 ? .saveAgain : .correct)
    }
  }

  private func nextLine() throws(ResultsError) -> ArraySlice<UInt8>? {
    while true {
      if let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        line += 1
        return pending[start..<end]
      }
      guard let descriptor, !isAtEnd else {
        guard start < pending.count else { return nil }
        return try endOfTruncatedFile()
      }
      guard pending.count - start < Self.longestLine else {
        line += 1
        throw malformed(nil, "has no line feed within \(Self.longestLine) bytes", .recordAgain)
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
    guard dropsTruncatedLastRow else { throw malformed(nil, "is cut off: it does not end with a line feed") }
    truncatedLine = line
    return nil
  }
}

/// Appends rows to a new CSV file. Each row is one `write(2)`, so a killed process leaves whole rows. If the disk is full, the part of
/// a row is removed before the error is thrown. Thread-safe.
public final class CSVWriter<Row: CSVRecord>: Sendable {
  public let path: String
  /// The open file and the length of all complete rows; `nil` once the file is closed.
  private let file: Mutex<(descriptor: Int32, length: off_t)?>

  /// Creates the file; throws if the file exists.
  public convenience init(creating path: String) throws(ResultsError) {
    try self.init(creating: path, named: path)
  }

  /// - Parameter name: the path that the file will have later, for messages.
  init(creating path: String, named name: String) throws(ResultsError) {
    self.path = name
    let descriptor: Int32
    do throws(ResultsError) {
      descriptor = try POSIXFile.createForAppending(path)
    } catch {
      throw error.naming(Row.option)
    }
    file = Mutex((descriptor, 0))
    try write(Row.header)
  }

  deinit {
    file.withLock { if let descriptor = $0?.descriptor { _ = Foundation.close(descriptor) } }
  }

  public func append(_ row: Row) throws(ResultsError) { try write(row.csvLine()) }

  /// Closes the file. Some file systems report a failed write only here. Later appends throw.
  public func close() throws(ResultsError) {
    let path = path
    try file.withLock { file throws(ResultsError) in
      guard let descriptor = file?.descriptor else { return }
      file = nil
      if Foundation.close(descriptor) != 0 {
        throw .cannotWrite(path: path, reason: POSIXFile.lastErrorText, option: Row.option)
      }
    }
  }

  private func write(_ line: String) throws(ResultsError) {
    let path = path
    let bytes = Array(line.utf8)
    try file.withLock { file throws(ResultsError) in
      guard let (descriptor, length) = file else {
        throw .cannotWrite(path: path, reason: "it was closed before")
      }
      do throws(ResultsError) {
        try POSIXFile.writeAll(bytes, to: descriptor, path: path)
      } catch {
        // If `ftruncate` fails, that does no harm: the reader drops a partial last row, too.
        _ = ftruncate(descriptor, length)
        throw error.naming(Row.option)
      }
      file = (descriptor, length + off_t(bytes.count))
    }
  }
}
