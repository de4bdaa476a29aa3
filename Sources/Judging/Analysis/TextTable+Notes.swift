import Results

extension TextTable {
  /// What is not decided, and what would decide it: a line each, below the table; mostly none.
  var notes: [String] {
    if let reason = scenario.disturbance.reason { return [reason + ", so nothing is decided here"] }
    return [firstRank, unresolved].compactMap(\.self)
  }

  /// With more names than this a line says less than a span does.
  private static let mostNames = 3

  /// Such as `first: futures with 71 %, callbacks with 29 %`.
  private var firstRank: String? {
    let first = scenario.firstRank
    guard !first.isEmpty else { return nil }
    let named = first.prefix(Self.mostNames).filter { $0.probability >= 0.01 }
    return "first: "
      + named.map { "\($0.contender) with \(NumberText.wholePercent($0.probability))" }
      .joined(separator: ", ")
  }

  /// Such as `rounds that would tell: futures about 120, operations 10 000 or more`.
  private var unresolved: String? {
    let cells = scenario.cells.filter { $0.summary.roundsToResolve != nil }
    let rounds = cells.compactMap(\.summary.roundsToResolve)
    guard let fewest = rounds.min(), let most = rounds.max() else { return nil }
    let text =
      if cells.count <= Self.mostNames {
        zip(cells, rounds).map { "\($0.summary.contender) \(CellReport.roundsText($1))" }
          .joined(separator: ", ")
      } else if NumberText.about(fewest) == NumberText.about(most) {
        "\(CellReport.roundsText(most)) for \(cells.count) contenders"
      } else {
        "about \(NumberText.about(fewest)) to \(NumberText.about(most)) for \(cells.count) contenders"
      }
    return "rounds that would tell: " + text
  }
}
