import Results

public struct Table: Sendable {
  public var title = ""
  public var columns: [Column]
  public var rows: [Row]
  /// Further rows, which a Markdown page folds and a terminal shows last.
  public var folds: [Fold] = []
  public var notes: [String] = []
  public var remarkTitle = "remark"
  /// Whether remarks are text of this package, in which commands stand between backquotes.
  public var hasCommands = false
  /// Whether a narrow terminal may show the first column as headings above groups of rows.
  public var groups = false

  public init(title: String = "", columns: [Column], rows: [Row]) {
    self.title = title
    self.columns = columns
    self.rows = Self.inOneUnit(rows, columns.count)
  }

  /// - Parameters:
  ///   - exception: returns a row to show instead of a value's usual row; `nil` keeps the usual row.
  ///   - others: rows to add at the end.
  init<Value>(
    title: String = "", _ fields: [Field<Value>], _ values: [Value],
    remark: (Value) -> String? = { _ in nil },
    tone: (Value) -> Document.Tone = { _ in .plain }, except exception: (Value) -> Row? = { _ in nil },
    others: [Row] = []
  ) {
    let rows = values.map { value in
      exception(value) ?? Row(fields.map { $0.cell(value) }, remark: remark(value), tone(value))
    }
    self.init(title: title, columns: fields.map(\.column), rows: rows + others)
  }

  private static func inOneUnit(_ rows: [Row], _ columns: Int) -> [Row] {
    var rows = rows
    for column in 0..<columns {
      let timed = rows.indices.filter { column < rows[$0].cells.count && rows[$0].cells[column].time != nil }
      let unit = TimeUnit.common(timed.compactMap { rows[$0].cells[column].time?.nanoseconds })
      for index in timed {
        guard let time = rows[index].cells[column].time else { continue }
        rows[index].cells[column].text = NumberText.duration(
          time.nanoseconds, isSigned: time.isSigned, unit: unit)
      }
    }
    return rows
  }

  func with(_ change: (inout Table) -> Void) -> Table {
    var table = self
    change(&table)
    return table
  }

  public struct Column: Sendable {
    public let title: String
    /// The heading above the title on a terminal. Adjacent columns with the same heading share it.
    public let above: String
    /// The smallest width on a terminal, including the space before the column, so that columns of successive tables line up.
    public let width: Int
    /// Whether the column is aligned to the left. Columns of numbers are aligned to the right.
    public let isLeft: Bool
    /// Where the column is shown, on a terminal or a page; `nil` means both.
    public let medium: Document.Medium?
    /// The term of the legend that explains the column.
    public let term: String

    public init(
      _ title: String, _ width: Int = 0, isLeft: Bool = false, on medium: Document.Medium? = nil,
      above: String = "", term: String? = nil
    ) {
      (self.title, self.width, self.isLeft, self.medium) = (title, width, isLeft, medium)
      (self.above, self.term) = (above, term ?? title)
    }

    /// Joins the heading and the title of a column into one line, without a hyphen between them.
    static func joined(_ above: String, _ title: String) -> String {
      above.isEmpty || above.hasSuffix("-") ? above.dropLast() + title : "\(above) \(title)"
    }
  }

  public struct Cell: Sendable, ExpressibleByStringLiteral {
    public var text: String
    /// The text on a terminal; `nil` means the same text.
    public var short: String?
    public var tone = Document.Tone.plain
    var style = Style.own
    var bar: Bar?
    /// The ratios in the text, which slashes separate. A terminal with colours shades each of them.
    var heats: [Double?] = []
    /// The time, if the cell shows one. All times of a column are shown in one unit.
    var time: (nanoseconds: Double, isSigned: Bool)?

    enum Style {
      case own
      /// A name, which a page formats as code.
      case name
      /// Text of unknown origin, which a page escapes.
      case foreign
    }

    public init(_ text: String, short: String? = nil, _ tone: Document.Tone = .plain) {
      (self.text, self.short, self.tone) = (text, short, tone)
    }

    init(_ text: String, _ style: Style) { (self.text, self.style) = (text, style) }

    public init(stringLiteral text: String) { self.init(text) }

    /// A bar that starts at 0, in the last column of a wide terminal.
    init(_ bar: Bar?) { (text, self.bar) = ("", bar) }

    static func name(_ name: String) -> Cell { Cell(name, .name) }

    /// A contender's name, with the mark of its origin if the table has no column for the origin.
    static func name(_ name: String, shipsWith: String?) -> Cell {
      var cell = Cell(name, .name)
      cell.short = shippers.first { $0.shipsWith == shipsWith }?.mark.map { name + $0 }
      return cell
    }

    /// The groups of contenders by origin, with those that have a mark first.
    static let shippers =
      IdiomRecord.groups.filter { $0.mark != nil } + IdiomRecord.groups.filter { $0.mark == nil }

    static func duration(_ nanoseconds: Double?, isSigned: Bool = false) -> Cell {
      var cell = Cell(nanoseconds.map { NumberText.duration($0, isSigned: isSigned) } ?? "")
      cell.time = nanoseconds.map { ($0, isSigned) }
      return cell
    }

    static func count(_ count: Int?) -> Cell { Cell(count.map { String($0) } ?? "") }

    static func number(_ value: Double?, _ text: (Double) -> String) -> Cell { Cell(value.map(text) ?? "") }
  }

  struct Bar: Sendable {
    let value: Double
    let interval: ClosedRange<Double>?
  }

  public struct Row: Sendable {
    /// One cell for each column, or only the first cell and a remark.
    public var cells: [Cell]
    public var remark: String?
    public var tone: Document.Tone

    public init(_ cells: [Cell], remark: String? = nil, _ tone: Document.Tone = .plain) {
      (self.cells, self.remark, self.tone) = (cells, remark, tone)
    }
  }

  public struct Fold: Sendable {
    public let summary: String
    public var rows: [Row]
    /// Whether a page folds the rows. If not, the summary stands above them.
    public var isFolded = true
    /// Whether a terminal omits the rows.
    public var isPageOnly = false
  }

  struct Field<Value> {
    let column: Column
    let cell: (Value) -> Cell

    init(
      _ title: String, _ width: Int = 0, isLeft: Bool = false, on medium: Document.Medium? = nil,
      above: String = "", term: String? = nil, cell: @escaping (Value) -> Cell
    ) {
      column = Column(title, width, isLeft: isLeft, on: medium, above: above, term: term)
      self.cell = cell
    }
  }

  func indices(on medium: Document.Medium) -> [Int] {
    columns.indices.filter { columns[$0].medium == nil || columns[$0].medium == medium }
  }
}
