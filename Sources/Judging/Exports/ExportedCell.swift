import Verdicts
import Results

/// A cell with the samples of it that count: measured and not dropped.
public struct ExportedCell: Sendable {
  public let place: ScenarioKey
  public let summary: CellSummary
  /// In the order they were taken, each with a time; empty if the contender failed, hung or was wrong.
  public let samples: [Sample]
  /// How many were taken, and how many of them were dropped.
  let taken: Int
  let warmUp: Int
  let disturbed: Int
  /// Why nothing of the cell is exported, as a sentence; nil if something is.
  let absence: String?

  /// - Parameter samples: all that were taken of it.
  init(_ scenario: ScenarioReport, _ cell: CellReport, samples: [Sample]) {
    place = scenario.place
    summary = cell.summary
    let counted = samples.filter {
      $0.outcome == .measured && $0.dropped == nil && ($0.wallNanoseconds ?? 0) > 0
    }
    self.samples = cell.summary.outcome == .measured ? counted : []
    taken = samples.count
    warmUp = samples.count { $0.dropped == .warmUp }
    disturbed = samples.count { $0.dropped == .disturbed }
    absence =
      self.samples.isEmpty
      ? "\(cell.summary.contender) on \(scenario.place) is not exported: "
        + (cell.explanation ?? "no sample has a time") : nil
  }

  public var contender: String { summary.contender }

  /// Times in nanoseconds per post, in the order they were taken.
  var wallNanoseconds: [Int] { samples.compactMap(\.wallNanoseconds) }

  /// The paired ratio to the reference with the interval of its verdict; nil of the reference itself, and where too few
  /// or too disturbed rounds leave no interval.
  var ratio: (value: Double, low: Double, high: Double)? {
    guard summary.verdict != nil, let ratio = summary.ratio, let low = summary.ratioLow,
      let high = summary.ratioHigh
    else { return nil }
    return (ratio, low, high)
  }

  /// What tools call the cell that know one name and no more: `scenario/contender/n=fan-out`. A slash in the scenario's
  /// name becomes `~`, which no name contains, so that no other cell is called the same.
  var path: String {
    let machine = place.machine.map { "@\($0)" } ?? ""
    return "\(place.scenario)\(machine)".replacing("/", with: "~") + "/\(contender)/n=\(summary.fanOut)"
  }

  /// What was counted in whole samples, per post: a value for each sample that has one.
  func perPost(_ count: (Sample) -> Int?) -> [Double] {
    samples.compactMap { $0.perPost(count($0)) }
  }
}
