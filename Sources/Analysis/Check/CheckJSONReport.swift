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
  let candidate: String
  let measure: String
  let margin: Double
  let seconds: Double
  let resolution: Double?
  let cells: [Cell]
  let proofs: [Cell]

  init(_ report: CheckReport) {
    verdict = report.verdict.rawValue
    headline = report.headline
    base = report.terms.base
    candidate = report.terms.candidate
    measure = report.terms.measure
    margin = report.terms.margin
    seconds = report.terms.seconds
    resolution = report.resolution
    cells = report.cells.map(Cell.init)
    proofs = report.proofs.map(Cell.init)
  }

  struct Cell: Encodable {
    let contender: String
    let scenario: String
    let verdict: String
    let reason: String?
    let ratio: Double?
    let resolution: Double?
    let pairs: Int
    let disturbedPairs: Int

    init(_ cell: CheckedCell) {
      contender = cell.key.contender
      scenario = cell.key.scenario
      verdict = cell.state.rawValue
      reason = cell.first.failure
      ratio = cell.last.ratio
      resolution = cell.last.resolution
      pairs = cell.pairs
      disturbedPairs = cell.emptyPairs
    }

    enum CodingKeys: String, CodingKey {
      case contender, scenario, verdict, reason, ratio, resolution, pairs
      case disturbedPairs = "disturbed_pairs"
    }
  }
}
