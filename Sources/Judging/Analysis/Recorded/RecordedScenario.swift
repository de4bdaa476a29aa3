import Foundation
import Results
import Statistics

/// What became of one scenario.
public struct RecordedScenario: Sendable {
  public let place: ScenarioKey
  public let cells: [RecordedCell]
  public let failed: [CheckRow]
  public let counts: [CheckRow]
  public let reference: String
  /// The reference's own time in the candidate's run, of that in the base's: machine and code together, which no
  /// recorded run can tell apart.
  public let referenceRatio: Double?

  /// Such as `publish-instant-100`, with its machine where there are several.
  var name: String { place.description }

  static func all(_ cells: [RecordedCell], _ pairing: RecordedPairing) -> [RecordedScenario] {
    pairing.keys.map(\.place).grouped().map { place in
      RecordedScenario(
        place: place, cells: cells.filter { $0.key.place == place },
        failed: pairing.failed.filter { $0.key.place == place },
        counts: pairing.counts.filter { $0.key.place == place }, reference: pairing.reference,
        referenceRatio: pairing.referenceRatio(place))
    }.filter { !$0.cells.isEmpty || !$0.failed.isEmpty || !$0.counts.isEmpty }
  }

  /// That all cells moved as one: then it is rather the reference that moved, the other way.
  func shift(_ margin: Double) -> RunDifference? {
    let changes = cells.map { log($0.ratio) }
    guard changes.count > 2, let median = Quantiles.median(of: changes), abs(median) > log1p(margin),
      changes.allSatisfy({ ($0 > 0) == (median > 0) })
    else { return nil }
    return RunDifference(
      "All \(changes.count) cells of \(name) moved the same way, by \(CheckReport.percent(exp(median) - 1, isSigned: true)): rather \(reference) moved than all of them.",
      isDoubt: true)
  }
}
