import Results

/// Rows of a report below a title.
public struct Table: Sendable {
  public var title = ""
  public var columns: [Column]
  public var rows: [Row]
  /// More rows: a page folds them, a terminal shows them last.
  public var folds: [Fold] = []
  /// Sentences below the table.
  public var notes: [String] = []
  /// The title of the column of remarks.
  public var remarkTitle = "remark"
  /// Whether remarks are our own text, with commands between backquotes.
  public var hasCommands = false
  /// Whether the first column may become headings, for lack of room on a terminal.
  public var groups = false

  public init(title: String = "", columns: [Column], rows: [Row]) {
    self.title = title
    self.columns = columns
    self.rows = Self.inOneUnit(rows, columns.count)
  }

  /// A row for each value.
  ///
  /// - Parameters:
  ///   - exception: another row for a value; nil: the usual one.
  ///   - others: rows below.
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
    /// Stands above the title on a terminal, once for adjacent columns that share it.
    public let above: String
    /// Least columns of a terminal, including the space before it, so that tables below each other line up.
    public let width: Int
    /// Numbers are flush right.
    public let isLeft: Bool
    /// nil: every medium shows it.
    public let medium: Document.Medium?
    /// The term that explains its numbers.
    public let term: String

    public init(
      _ title: String, _ width: Int = 0, isLeft: Bool = false, on medium: Document.Medium? = nil,
      above: String = "", term: String? = nil
    ) {
      (self.title, self.width, self.isLeft, self.medium) = (title, width, isLeft, medium)
      (self.above, self.term) = (above, term ?? title)
    }

    /// Both lines of a title as one, without a hyphen between them.
    static func joined(_ above: String, _ title: String) -> String {
      above.isEmpty || above.hasSuffix("-") ? above.dropLast() + title : "\(above) \(title)"
    }
  }

  public struct Cell: Sendable, ExpressibleByStringLiteral {
    public var text: String
    /// The text on a terminal, if it is another.
    public var short: String?
    public var tone = Document.Tone.plain
    var style = Style.own
    var bar: Bar?
    /// The ratios of its parts between slashes: a terminal with colours shades each.
    var heats: [Double?] = []
    /// A time, which its table shows in the unit of its column.
    var time: (nanoseconds: Double, isSigned: Bool)?

    enum Style {
      case own
      /// A page sets it as code.
      case name
      /// Of unknown origin: a page escapes it.
      case foreign
    }

    public init(_ text: String, short: String? = nil, _ tone: Document.Tone = .plain) {
      (self.text, self.short, self.tone) = (text, short, tone)
    }

    init(_ text: String, _ style: Style) { (self.text, self.style) = (text, style) }

    public init(stringLiteral text: String) { self.init(text) }

    /// A bar from 0, in the last column of a wide terminal.
    init(_ bar: Bar?) { (text, self.bar) = ("", bar) }

    static func name(_ name: String) -> Cell { Cell(name, .name) }

    /// With a mark of what ships it, where there is no column for that.
    static func name(_ name: String, shipsWith: String?) -> Cell {
      var cell = Cell(name, .name)
      cell.short = mark(of: shipsWith).map { name + $0 }
      return cell
    }

    /// Kinds of shippers, those with a mark first.
    static let shippers =
      IdiomRecord.groups.filter { $0.mark != nil } + IdiomRecord.groups.filter { $0.mark == nil }

    static func mark(of shipper: String?) -> String? { shippers.first { $0.shipsWith == shipper }?.mark }

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
    /// nil: unknown.
    let interval: ClosedRange<Double>?
  }

  public struct Row: Sendable {
    /// One for each column; or the first alone, and a remark.
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
    /// Whether a page folds them; else the summary stands above them.
    public var isFolded = true
    /// Whether a terminal omits them.
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
