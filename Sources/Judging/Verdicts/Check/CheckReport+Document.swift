import Results

extension CheckReport {
  public var document: Document {
    Document(
      title: title,
      [
        .only(.terminal, [.diff(diff ?? "")]), .paragraphs([headline]),
        .paragraphs(Array(doubts.dropFirst())), .table(table), .only(.page, [.diff(diff ?? "")]),
        .only(.terminal, [.paragraphs(unlisted)]), .list(notes),
      ]
    ).marked(idioms)
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
    typealias Field = Table.Field<CheckRow>
    let fields = [
      Field("scenario", isLeft: true) { .name($0.key.place.description) },
      Field("contender", isLeft: true) { .name($0.subject) },
      Field("change", isLeft: true) { row in
        Table.Cell([row.change, row.quantity ?? ""].filter { !$0.isEmpty }.joined(separator: " "))
      },
      Field("evidence", isLeft: true) { Table.Cell($0.evidence) },
      Field("verdict", isLeft: true) { row in
        Table.Cell(
          row.verdict + (row.isProven == true ? ", as it must be" : ""), short: row.verdict,
          row.isProven == true ? .faint : row.state.tone)
      },
    ]
    func laidOut(_ rows: [CheckRow]) -> [Table.Row] { Table(fields, rows, remark: \.reason).rows }
    var table = Table(fields, rows.filter { $0.state != .unchanged }, remark: \.reason)
    let unchanged = rows(.unchanged)
    let (failing, holding) = (proofs.filter { $0.isProven == false }, proofs.filter { $0.isProven == true })
    let (cells, counts) = (unchanged.filter { $0.quantity == nil }, unchanged.filter { $0.quantity != nil })
    // On a terminal, unchanged counts are left out, because most counts are unchanged.
    table.folds = [
      Table.Fold(summary: "\(cells.count) unchanged", rows: laidOut(cells)),
      Table.Fold(
        summary: Plural.counted(counts.count, "count") + " unchanged", rows: laidOut(counts), isPageOnly: true
      ),
      Table.Fold(summary: "The controls of this check failed:", rows: laidOut(failing), isFolded: false),
      Table.Fold(summary: "controls of this check: \(holding.count) passed", rows: laidOut(holding)),
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

extension CheckReport: JSONEncodable {
  /// The report as JSON for other programs. Unknown values are left out.
  public var jsonObject: JSONObject {
    [
      "verdict": verdict.rawValue, "headline": headline, "base": base, "measure": measure,
      "resolution": resolution, "doubts": doubts, "diff": diff, "cells": rows, "proofs": proofs,
      "notes": notes,
    ]
  }
}

extension CheckRow: Encodable {
  public func encode(to encoder: any Encoder) throws {
    let said: JSONObject = [
      "role": role.name, "quantity": quantity, "verdict": state.rawValue, "reason": reason,
    ]
    try (key.jsonObject + said).encode(to: encoder)
    try numbers.encode(to: encoder)
  }
}

extension CheckReport {
  /// Workflow commands of GitHub Actions: an error for each row that regressed or failed, and one warning for all undecided rows.
  public var annotations: String {
    var lines = rows.compactMap { row -> String? in
      switch row.state {
      case .regressed: Self.line("error", row.name + ": " + row.change)
      case .failed: Self.line("error", row.name + ": " + (row.reason ?? "failed"))
      case .improved, .inconclusive, .unchanged: nil
      }
    }
    let undecided = rows(.inconclusive)
    if !undecided.isEmpty {
      let reasons = undecided.inGroups(by: \.reason).map(Self.reason)
      lines.append(
        Self.line("warning", (["\(undecided.count) not decided:"] + reasons).joined(separator: "\n")))
    }
    lines.append(Self.line(verdict == .passed ? "notice" : "warning", headline))
    return lines.map { $0 + "\n" }.joined()
  }

  private static let mostNames = 3

  private static func reason(of rows: [CheckRow]) -> String {
    let named = rows.prefix(mostNames).map(\.name).joined(separator: "; ")
    let others = rows.count > mostNames ? "; and \(rows.count - mostNames) more" : ""
    let reason = rows[0].reason ?? "the interval of the change is too wide to tell"
    return "\(rows.count) (\(named)\(others)): \(reason)"
  }

  private static func line(_ command: String, _ message: String) -> String {
    // Text in workflow commands needs these escapes, as in the package @actions/core.
    let escaped = message.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing(
      "\n", with: "%0A")
    return "::\(command) title=bench check::\(escaped)"
  }
}
