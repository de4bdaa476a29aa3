import Results

extension ScenarioReport {
  /// - Parameter analysis: what the scenario is a part of.
  func table(of analysis: RunAnalysis) -> Table {
    let fields = fields(of: analysis)
    let hasRanks = cells.contains { ($0.summary.rankGroup ?? 1) > 1 }
    let rows = cells.map { cell in
      if let explanation = cell.explanation {
        return Table.Row([.name(cell.summary.contender)], remark: explanation, .bad)
      }
      return Table.Row(
        fields.map { $0.value(cell) }, cell.summary.rankGroup == 1 && hasRanks ? .good : .plain)
    }
    return Table(
      title: "\(place): \(subject), \(roundsText)", columns: fields.map(\.column),
      rows: rows + missing.map { Table.Row([.name($0)], remark: "not measured") }, notes: notes)
  }

  private typealias Field = (column: Table.Column, value: (CellReport) -> Table.Cell)

  private func fields(of analysis: RunAnalysis) -> [Field] {
    let name = Table.Column(
      "contender", isLeft: true, width: 17,
      analysis.hasExternalBaseline
        ? "the same files copied by the system's cp in the same rounds: no contender" : nil, named: "cp")
    return [(name, { .name($0.summary.contender) })] + times(analysis) + details(analysis)
      + (showsStopping ? stopping : showsProcess ? process : subjectFields) + effort
      + standing(analysis)
  }

  private func times(_ analysis: RunAnalysis) -> [Field] {
    // Where jobs stop early there is no room for the interval; what it proves stands behind the ratio.
    let scarce: Document.Medium? = showsStopping ? .page : nil
    let reference = analysis.reference
    let margin = NumberText.percent(analysis.equivalenceMargin)
    return [
      (
        Table.Column(
          timeTitle, width: showsStopping ? 10 : 12,
          "median per \(analysis.unit), or of the whole where the scenario ends without a post", named: "time"
        ), { Table.Cell(Self.duration(timeNanoseconds($0))) }
      ),
      (
        Table.Column(
          "overhead", width: 9, on: showsProcess || showsPostsBefore ? .page : scarce,
          "median of the paired differences to \(reference), on the same terms"),
        { $0.comparison == nil ? "" : Table.Cell(Self.duration(overheadNanoseconds($0), isSigned: true)) }
      ),
      (
        Table.Column(
          "ratio", width: showsStopping ? 8 : 6,
          "median of the paired ratios to \(reference), with the interval that goes with the verdict over all cells (Holm, 5 %); = : proved to lie within \(margin) of 1, and not to differ from it; ? : neither is proved; unresolved: too few rounds for an interval (\(analysis.fewestPairs) are enough), or too noisy"
        ), ratio
      ),
      (
        Table.Column("[interval]", isLeft: true, width: 11, on: scarce), { Table.Cell(Self.interval($0)) }
      ),
    ]
  }

  private func ratio(_ cell: CellReport) -> Table.Cell {
    guard let ratio = cell.summary.ratio.map(NumberText.ratio) else { return "" }
    guard showsStopping else { return Table.Cell(ratio) }
    return Table.Cell(ratio, short: ratio + (cell.comparison.flatMap { Self.mark($0.verdict) } ?? "  "))
  }

  /// What a terminal has no room for.
  private func details(_ analysis: RunAnalysis) -> [Field] {
    [
      (
        Table.Column("p90", on: .page, "of whole posts"),
        { Table.Cell(Self.duration($0.summary.p90Nanoseconds)) }
      ),
      (
        Table.Column("cold", on: .page, "median of the first samples of fresh processes, per post"),
        { Table.Cell(Self.duration($0.coldNanoseconds)) }
      ),
    ]
  }

  /// What the blocked calls do to the process.
  private var process: [Field] {
    [
      (
        Table.Column("threads", width: 8, "most threads of the process at once"),
        { Table.Cell($0.summary.peakThreads.map(String.init) ?? "") }
      ),
      (
        Table.Column(
          "timer lag", width: 10,
          "how late a task of the idiom, due every millisecond, came meanwhile at worst"),
        { Table.Cell(Self.duration($0.summary.heartbeatWorstNanoseconds.map(Double.init))) }
      ),
    ]
  }

  /// How a job ends that fails or is cancelled.
  private var stopping: [Field] {
    [
      (
        Table.Column(
          "reported", width: 9,
          "from the first failure, the cancel or the deadline to the caller's completion"),
        { Table.Cell(Self.duration($0.summary.failureToCompletionNanoseconds)) }
      ),
      (
        Table.Column("stopped", width: 8, "from the same moment until nothing of the job was left"),
        { Table.Cell(Self.duration($0.summary.failureToStopNanoseconds)) }
      ),
      (
        Table.Column("late", width: 5, "uploads that started after it, per post"),
        { Table.Cell($0.summary.startsAfterFailure.map(NumberText.whole) ?? "") }
      ),
      (
        Table.Column("wasted", width: 7, "bytes that arrived whole and no post came of them, per post"),
        { Table.Cell($0.summary.wastedBytes.map(NumberText.bytes) ?? "") }
      ),
    ]
  }

  /// Those that not every scenario has.
  private var subjectFields: [Field] {
    var fields: [Field] = []
    if cells.contains(where: { $0.summary.efficiency != nil }) {
      fields.append(
        (
          Table.Column("effic.", width: 7, "ideal ÷ measured: 1 = as fast as the service permits"),
          { Table.Cell($0.summary.efficiency.map(NumberText.ratio) ?? "") }
        ))
    }
    if showsMemory {
      fields.append(
        (
          Table.Column(
            "memory", width: 9,
            "peak resident memory of the whole process ÷ units: at most what one takes"),
          { Table.Cell(memoryBytes($0).map(NumberText.bytes) ?? "") }
        ))
    }
    if showsThroughput {
      fields.append(
        (
          Table.Column("MiB/s", width: 7, "the post's bytes ÷ its median time"),
          { Table.Cell($0.summary.bytesPerSecond.map(NumberText.mebibytes) ?? "") }
        ))
    }
    if showsPostsBefore {
      fields.append(
        (
          Table.Column(
            "before", width: 8,
            "how many of the posts of low priority ended before the one that is timed, as a whole"),
          { Table.Cell($0.summary.postsBefore.map(NumberText.whole) ?? "") }
        ))
    }
    return fields
  }

  /// What it takes besides time.
  private var effort: [Field] {
    [
      (
        Table.Column("allocs/\(unit)", on: .page),
        { Table.Cell($0.summary.allocationsPerUpload.map(NumberText.count) ?? "") }
      ),
      (Table.Column("lines", on: .page), { Table.Cell($0.summary.sourceLines.map(String.init) ?? "") }),
    ]
  }

  private func standing(_ analysis: RunAnalysis) -> [Field] {
    [
      (
        Table.Column(
          "rank", width: 5,
          "contenders that the run cannot distinguish share one; P(fastest), below a table: how probably each is the fastest"
        ), { Table.Cell($0.summary.rankGroup.map(String.init) ?? "") }
      ),
      (
        Table.Column("verdict", isLeft: true, on: .page),
        { Table.Cell(Self.verdict($0, margin: analysis.equivalenceMargin)) }
      ),
      (
        Table.Column(
          "", on: .terminal,
          "the ratio, drawn from 0; half dark within its interval, and pale where there is none", named: "bar"
        ), { Table.Cell(Self.bar($0)) }
      ),
    ]
  }

  private static func duration(_ nanoseconds: Double?, isSigned: Bool = false) -> String {
    nanoseconds.map { NumberText.duration($0, isSigned: isSigned) } ?? ""
  }

  private static func interval(_ cell: CellReport) -> String {
    switch cell.standing {
    case .reference: return "reference"
    case .externalBaseline: return "yardstick"
    case .notCompared: return ""
    case .compared(let comparison):
      guard let low = comparison.ratioLow, let high = comparison.ratioHigh else { return "unresolved" }
      return "[" + NumberText.ratio(low) + ", " + NumberText.ratio(high) + "]"
        + (mark(comparison.verdict) ?? "")
    }
  }

  /// What stands behind a ratio that is not proved to differ from 1.
  private static func mark(_ verdict: Verdict) -> String? {
    switch verdict {
    case .faster, .slower: nil
    case .equivalent: " ="
    case .unresolved: " ?"
    }
  }

  private static func bar(_ cell: CellReport) -> Table.Bar? {
    guard let ratio = cell.summary.ratio else { return nil }
    if cell.standing == .reference { return Table.Bar(value: ratio, interval: ratio...ratio) }
    guard let low = cell.summary.ratioLow, let high = cell.summary.ratioHigh, low <= high else {
      return Table.Bar(value: ratio, interval: nil)
    }
    return Table.Bar(value: ratio, interval: low...high)
  }

  private static func verdict(_ cell: CellReport, margin: Double) -> String {
    guard let verdict = cell.summary.verdict else {
      return switch cell.standing {
      case .reference: "reference"
      case .externalBaseline: "external baseline, not ranked"
      case .compared, .notCompared: "not compared"
      }
    }
    switch verdict {
    case .equivalent: return "equivalent"
    case .faster, .slower:
      let isSmall = cell.summary.isWithinMargin == true
      return verdict.rawValue + (isSmall ? ", by less than " + NumberText.percent(margin) : "")
    case .unresolved: return "unresolved" + (cell.summary.unresolvedReason.map { ": " + $0 } ?? "")
    }
  }
}

extension ScenarioReport {
  /// What is not decided, and what would decide it: a line each, below the table; mostly none.
  var notes: [String] {
    if let reason = disturbance.reason { return [reason + ", so nothing is decided here"] }
    return [firstRank, unresolved].compactMap(\.self)
  }

  /// With more names than this a line says less than a span does.
  private static let mostNames = 3

  /// Of those who share the first rank, such as `P(fastest): futures 71 %, callbacks 29 %`, the likeliest first; nil where one
  /// has it alone or the probabilities are unknown.
  private var firstRank: String? {
    let first = cells.map(\.summary).filter { $0.rankGroup == 1 }
    let known = first.compactMap { summary in
      summary.rankProbabilities.map { (contender: summary.contender, probability: $0.first) }
    }
    guard first.count > 1, !known.isEmpty else { return nil }
    let likely = known.sorted { (-$0.probability, $0.contender) < (-$1.probability, $1.contender) }
      .prefix(Self.mostNames).filter { $0.probability >= 0.01 }
    return "P(fastest): "
      + likely.map { $0.contender + " " + NumberText.wholePercent($0.probability) }.joined(separator: ", ")
  }

  /// Such as `estimated rounds needed: futures 120, operations 10 000 or more`.
  private var unresolved: String? {
    let cells = cells.map(\.summary).filter { $0.roundsToResolve != nil }
    let rounds = cells.compactMap(\.roundsToResolve)
    guard let fewest = rounds.min(), let most = rounds.max() else { return nil }
    let text =
      if cells.count <= Self.mostNames {
        zip(cells, rounds).map { $0.contender + " " + Self.roundsText($1) }.joined(separator: ", ")
      } else if NumberText.about(fewest) == NumberText.about(most) {
        Self.roundsText(most) + " for \(cells.count) contenders"
      } else {
        NumberText.about(fewest) + " to " + NumberText.about(most) + " for \(cells.count) contenders"
      }
    return "estimated rounds needed: " + text
  }

  /// Such as `120`.
  private static func roundsText(_ rounds: Int) -> String {
    NumberText.about(rounds) + (rounds >= AnalysisOptions.mostRoundsToResolve ? " or more" : "")
  }
}
