extension CheckReport {
  public var document: Document {
    Document(
      title: title,
      [
        .only(.terminal, [.diff(diff ?? "")]), .paragraphs([headline]),
        .paragraphs(Array(doubts.dropFirst())), .table(table), .only(.page, [.diff(diff ?? "")]),
        .only(.terminal, [.paragraphs(unlisted)]), .list(notes),
      ])
  }

  private var title: String {
    switch verdict {
    case .regressed: "Something is more expensive than before"
    case .failed: "Something could not be measured"
    case .inconclusive: "Inconclusive"
    case .passed: "Nothing is more expensive than before"
    }
  }

  private var table: Table {
    let all = rows + proofs
    var columns = [
      Table.Column("scenario", isLeft: true), Table.Column("contender", isLeft: true),
      Table.Column("count", isLeft: true), Table.Column("change", isLeft: true),
      Table.Column("evidence", isLeft: true), Table.Column("verdict", isLeft: true),
    ]
    let hasCounts = all.contains { $0.quantity != nil }
    if !hasCounts { columns.remove(at: 2) }
    func laidOut(_ rows: [CheckRow]) -> [Table.Row] { rows.map { Self.row($0, hasCounts: hasCounts) } }
    var table = Table(columns: columns, rows: laidOut(rows.filter { $0.state != .unchanged }))
    let unchanged = rows(.unchanged)
    let (failing, holding) = (proofs.filter { $0.isProven == false }, proofs.filter { $0.isProven == true })
    let (cells, counts) = (unchanged.filter { $0.quantity == nil }, unchanged.filter { $0.quantity != nil })
    // Counts are many, and most are what they were: a terminal leaves those out.
    table.folds = [
      Table.Fold(summary: "\(cells.count) unchanged", rows: laidOut(cells)),
      Table.Fold(
        summary: Plural.counted(counts.count, "count") + " unchanged", rows: laidOut(counts), isPageOnly: true
      ),
      Table.Fold(summary: "The proof of this check fails:", rows: laidOut(failing), isFolded: false),
      Table.Fold(summary: "proof of this check: \(holding.count) as they must be", rows: laidOut(holding)),
    ]
    table.remarkTitle = "reason"
    table.groups = true
    return table
  }

  private var unlisted: [String] {
    let count = rows(.unchanged).count { $0.quantity != nil }
    return count == 0
      ? [] : ["  " + Plural.counted(count, "count") + " unchanged; --format json has them all"]
  }

  private static func row(_ row: CheckRow, hasCounts: Bool) -> Table.Row {
    let names = [Table.Cell.name(row.key.place.description), Table.Cell(row.subject, isCode: true)]
    let tone = row.isProven == true ? Document.Tone.faint : row.state.tone
    return Table.Row(
      names + (hasCounts ? [Table.Cell(row.quantity ?? "")] : [])
        + [
          Table.Cell(row.change), Table.Cell(row.evidence),
          Table.Cell(row.verdict + (row.isProven == true ? ", as it must be" : ""), short: row.verdict, tone),
        ], remark: row.reason)
  }
}

extension CheckRow.State {
  var tone: Document.Tone {
    switch self {
    case .regressed, .failed: .bad
    case .improved: .good
    case .inconclusive: .strong
    case .unchanged: .faint
    }
  }
}

extension CheckReport {
  /// For other programs: unknown values are left out.
  public func json() throws -> String { try JSONText.of(CheckDocument(self)) }
}

private struct CheckDocument: Encodable {
  let verdict: String
  let headline: String
  let base: String
  let measure: String
  let resolution: Double?
  let doubts: [String]
  let diff: String?
  let cells: [CellDocument]
  let proofs: [CellDocument]
  let notes: [String]

  init(_ report: CheckReport) {
    verdict = report.verdict.rawValue
    headline = report.headline
    base = report.base
    measure = report.measure
    resolution = report.resolution
    doubts = report.doubts
    diff = report.diff
    cells = report.rows.map(CellDocument.init)
    proofs = report.proofs.map(CellDocument.init)
    notes = report.notes
  }

  struct CellDocument: Encodable {
    let row: CheckRow

    init(_ row: CheckRow) { self.row = row }

    enum CodingKeys: CodingKey { case contender, scenario, machine, quantity, verdict, reason }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(row.subject, forKey: .contender)
      try container.encode(row.key.scenario, forKey: .scenario)
      try container.encodeIfPresent(row.key.machine, forKey: .machine)
      try container.encodeIfPresent(row.quantity, forKey: .quantity)
      try container.encode(row.state.rawValue, forKey: .verdict)
      try container.encodeIfPresent(row.reason, forKey: .reason)
      try row.numbers.encode(to: encoder)
    }
  }
}
