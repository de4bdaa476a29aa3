import Foundation
import Results

extension RecordedComparison {
  /// What changed, scenario by scenario; a page shows it as the check that the comparison amounts to.
  public var document: Document {
    let report = CheckReport(self, isGate: false)
    let page = report.document
    let sides = [("base", base.description), ("candidate", candidate.description)]
    let left = NotCompared.sentences(notCompared, of: keys)
    return Document(
      title: page.title,
      [
        .only(.page, page.blocks),
        .only(
          .terminal,
          [.paragraphs([report.headline]), .terms(sides)] + scenarios.map { .table($0.table) } + [
            .list(left, title: "Not compared"),
            .list(sameRun + differences.map(\.text), title: "Mind"),
            .list(reading, title: "How to read"),
          ]),
      ]
    ).marked(idioms)
  }

  /// Who ships each contender, as the candidate's record says, or else the base's.
  var idioms: [String: IdiomRecord] {
    (candidate.environment.idioms ?? [:]).merging(base.environment.idioms ?? [:]) { known, _ in known }
  }

  public func json() throws -> String { try CheckReport(self, isGate: false).json() }
}

extension RecordedScenario {
  fileprivate var table: Table {
    let itself = referenceRatio.map {
      " (\(reference) itself \(CheckReport.percent($0 - 1, isSigned: true)))"
    }
    // Exact counts are no ratios; those that did not change are told in one line.
    let changed = counts.filter { $0.state != .unchanged }
    let same = counts.count - changed.count
    return Table(
      title: name + (itself ?? ""),
      columns: [
        Table.Column("contender", 18, isLeft: true), Table.Column("base", 8), Table.Column("now", 8),
        Table.Column("change [interval]", 29, isLeft: true),
        Table.Column("", isLeft: true),
      ],
      rows: cells.map { Self.row($0, NumberText.ratio, change: $0.change) }
        + failed.map { Self.row($0, NumberText.ratio, change: "") } + changed.map(Self.count)
    ).with {
      $0.notes = same == 0 ? [] : [Plural.counted(same, "exact count") + ": unchanged"]
    }
  }

  private static func count(_ row: CheckRow) -> Table.Row {
    let quantity = (row.quantity ?? "").replacing(" per ", with: "/")
    func difference(_ now: Double) -> String {
      let difference = now - (row.numbers.base ?? 0)
      return (difference > 0 ? "+" : "") + NumberText.whole(difference)
    }
    // One that is no longer exact has a range of them.
    let ends = [row.numbers.lowest, row.numbers.highest].compactMap { $0.map(Double.init) }
    let now = ends.isEmpty ? [row.numbers.candidate].compactMap(\.self) : ends.unique()
    return Self.row(
      row, NumberText.whole, change: now.map(difference).joined(separator: " to ") + " " + quantity)
  }

  private static func row(_ row: CheckRow, _ text: (Double) -> String, change: String) -> Table.Row {
    Table.Row(
      [
        .name(row.key.contender), .number(row.numbers.base, text), .number(row.numbers.candidate, text),
        Table.Cell(change), Table.Cell(row.state.rawValue, row.state.tone),
      ], remark: row.reason)
  }
}

extension RecordedRun: CustomStringConvertible {
  /// Its name, and where it comes from, in one line.
  public var description: String {
    let generations =
      cells.values.grouped(by: \.key.place).values.map { cells in
        Set(cells.flatMap { $0.counted.map { [$0.run, "\($0.generation)"] } }).count
      }.max() ?? 0
    let commit = environment.commit.map {
      "commit \(SafeText.neutralised(String($0.prefix(12))))"
        + (environment.isDirty == true ? " + changes" : "")
    }
    return
      ([
        path, commit ?? "no commit",
        environment.startedAt.formatted(.iso8601).prefix(16).replacing("T", with: " ") + " UTC",
      ]
      + [Plural.counted(generations, "generation")]).joined(separator: ", ")
  }
}
