/// A record whose fields are filled one by one; until then they are empty, zero or unknown.
public protocol FilledRecord: Sendable {
  init()
}

extension FilledRecord {
  public init(_ fill: (inout Self) throws -> Void) rethrows {
    self.init()
    try fill(&self)
  }
}

/// A row of one of the suite's CSV files, described by one table of columns.
///
/// The writer, the reader and the column dictionary in results/README.md all take the table from here. The reader starts
/// with an empty record and fills it column by column.
public protocol CSVRecord: FilledRecord {
  /// The columns in file order.
  static var columns: [Column<Self>] { get }
  /// How many of them the first version of the file had: one that lacks later ones is read, with these unknown.
  static var firstColumnCount: Int { get }
  /// What to do about a file that cannot be used, such as `record the run again`.
  static var remedy: String { get }
  /// Which option says where the file is written.
  static var option: String { get }
  /// What no single column can see, checked before a row is written and after one is read.
  func validate() throws(FieldProblem)
}

extension CSVRecord {
  public static var firstColumnCount: Int { columns.count }
  public static var remedy: String { "record the run again" }
  public static var option: String { "--output" }
  public func validate() throws(FieldProblem) {}

  static var header: String { CSVLine.join(columns.map(\.name)) }

  /// The table of this record's columns, as it stands in results/README.md.
  public static var dictionary: String {
    (["| column | unit | value | meaning |", "|:---|:---|:---|:---|"] + columns.map(\.dictionaryRow))
      .joined(separator: "\n") + "\n"
  }

  /// The row as a line of the file.
  func csvLine() throws(ResultsError) -> String {
    var fields: [String] = []
    for column in Self.columns {
      do throws(FieldProblem) {
        fields.append(try column.write(self))
      } catch {
        throw .refused(column: column.name, problem: error.description)
      }
    }
    do throws(FieldProblem) {
      try validate()
    } catch {
      throw .refused(column: "the row:", problem: error.description)
    }
    return CSVLine.join(fields)
  }
}

/// A whole CSV file as one text: header and rows.
public enum CSVText {
  public static func text<Row: CSVRecord>(_ rows: [Row]) throws(ResultsError) -> String {
    var text = Row.header
    for row in rows { text += try row.csvLine() }
    return text
  }
}

/// What is wrong with one value, as the end of a sentence that begins with the column's name.
public struct FieldProblem: Error, Equatable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
