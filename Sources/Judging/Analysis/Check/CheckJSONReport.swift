import Foundation

/// A check for other programs: sorted keys, unknown values left out.
public enum CheckJSONReport {
  public static func text(_ report: CheckReport) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(Document(report)), as: UTF8.self) + "\n"
  }
}

private struct Document: Encodable {
  let verdict: String
  let headline: String
  let base: String
  let measure: String
  let resolution: Double?
  let doubts: [String]
  let diff: String?
  let cells: [Cell]
  let proofs: [Cell]
  let notes: [String]

  init(_ report: CheckReport) {
    verdict = report.verdict.rawValue
    headline = report.headline
    base = report.base
    measure = report.measure
    resolution = report.resolution
    doubts = report.doubts
    diff = report.diff
    cells = report.rows.map(Cell.init)
    proofs = report.proofs.map(Cell.init)
    notes = report.notes
  }

  struct Cell: Encodable {
    let row: CheckRow

    init(_ row: CheckRow) { self.row = row }

    enum CodingKeys: String, CodingKey { case contender, scenario, machine, quantity, verdict, reason }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(row.key.contender, forKey: .contender)
      try container.encode(row.key.scenario, forKey: .scenario)
      try container.encodeIfPresent(row.key.machine, forKey: .machine)
      try container.encodeIfPresent(row.quantity, forKey: .quantity)
      try container.encode(row.state.rawValue, forKey: .verdict)
      try container.encodeIfPresent(row.reason, forKey: .reason)
      try row.numbers.encode(to: encoder)
    }
  }
}
