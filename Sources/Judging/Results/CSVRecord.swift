/// A row of one of the suite's CSV files, described by one table of columns.
///
/// The writer, the reader and the column dictionary in results/README.md all take the table from here.
public protocol CSVRecord: Sendable {
  /// The columns in file order.
  static var columns: [Column<Self>] { get }
  /// How many of them the first version of the file had: one that lacks later ones is read, with these unknown.
  static var firstColumnCount: Int { get }
  /// The value that the reader fills, column by column. Every required column overwrites its placeholder.
  static var blank: Self { get }
  /// What to do about a file that cannot be used, such as `record the run again`.
  static var remedy: String { get }
  /// Which option says where the file is written.
  static var option: String { get }
  /// What no single column can see, checked before a row is written and after one is read.
  func validate() throws(FieldProblem)
}

extension CSVRecord {
  public static var remedy: String { "record the run again" }
  public static var option: String { "--output" }
}
