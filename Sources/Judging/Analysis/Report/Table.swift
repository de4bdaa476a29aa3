/// Rows of a report below a title.
public struct Table: Sendable {
  public var title: String
  public var columns: [Column]
  public var rows: [Row]
  /// More rows: a page shows them folded, a terminal below the others.
  public var folds: [Fold] = []
  /// Sentences below the table.
  public var notes: [String] = []
  /// What the remarks of its rows are called where they have a column.
  public var remarkTitle = "remark"
  /// Whether its remarks are our own, with commands between backquotes.
  public var hasCommands = false
  /// Whether the first column may become headings above the rows, where a terminal has no room for it.
  public var groups: Bool

  public init(
    title: String = "", columns: [Column], rows: [Row], notes: [String] = [], groups: Bool = false
  ) {
    self.title = title
    self.columns = columns
    self.rows = rows
    self.notes = notes
    self.groups = groups
  }

  public struct Column: Sendable {
    public let title: String
    /// Flush left; numbers are flush right.
    public var isLeft = false
    /// Columns that it takes of a terminal at least, with the space before it: so tables below each other line up.
    public var width = 0
    /// nil: every medium shows it.
    public var medium: Document.Medium?
    /// What its numbers mean.
    public var terms: [Document.Term] = []

    public init(
      _ title: String, isLeft: Bool = false, width: Int = 0, on medium: Document.Medium? = nil,
      _ meaning: String? = nil, named name: String? = nil
    ) {
      self.title = title
      self.isLeft = isLeft
      self.width = width
      self.medium = medium
      terms = meaning.map { [Document.Term(name ?? title, $0)] } ?? []
    }
  }

  public struct Cell: Sendable, ExpressibleByStringLiteral {
    public var text: String
    /// What a terminal shows in its place.
    public var short: String?
    public var tone = Document.Tone.plain
    /// Whether it is a name, which a page sets as code.
    public var isCode = false
    /// Whether it is of unknown origin, so that a page must not take it for markup.
    public var isForeign = false
    var bar: Bar?

    public init(_ text: String, short: String? = nil, _ tone: Document.Tone = .plain, isCode: Bool = false) {
      self.text = text
      self.short = short
      self.tone = tone
      self.isCode = isCode
    }

    public init(stringLiteral text: String) { self.init(text) }

    /// A bar from 0, in the last column of a terminal that has room for it.
    init(_ bar: Bar?) {
      self.init("")
      self.bar = bar
    }

    static func name(_ name: String) -> Cell { Cell(name, isCode: true) }

    static func foreign(_ text: String) -> Cell {
      var cell = Cell(text)
      cell.isForeign = true
      return cell
    }
  }

  struct Bar: Sendable {
    let value: Double
    /// nil: unknown.
    let interval: ClosedRange<Double>?
  }

  public struct Row: Sendable {
    /// One for each column; or the first alone, and a remark says why there are no others.
    public var cells: [Cell]
    public var remark: String?
    public var tone: Document.Tone

    public init(_ cells: [Cell], remark: String? = nil, _ tone: Document.Tone = .plain) {
      self.cells = cells
      self.remark = remark
      self.tone = tone
    }
  }

  public struct Fold: Sendable {
    public let summary: String
    public let rows: [Row]
    /// Whether a page folds them; if not, the summary stands above them.
    public var isFolded = true
    /// Whether a terminal leaves them out.
    public var isPageOnly = false
  }

  func columns(on medium: Document.Medium) -> [Column] {
    columns.filter { $0.medium == nil || $0.medium == medium }
  }

  /// Which of a row's cells a medium shows.
  func indices(on medium: Document.Medium) -> [Int] {
    columns.indices.filter { columns[$0].medium == nil || columns[$0].medium == medium }
  }
}
