import Results

extension ScenarioReport {
  func table(of analysis: RunAnalysis) -> Table {
    let hasRanks = cells.contains { ($0.summary.rankGroup ?? 1) > 1 }
    return Table(
      title: "\(place): \(subject), \(roundsText)", fields(of: analysis), cells,
      tone: { $0.summary.rankGroup == 1 && hasRanks ? .good : .plain },
      except: { cell in
        cell.explanation.map { Table.Row([.name(cell.summary.contender)], remark: $0, .bad) }
      }, others: missing.map { Table.Row([.name($0)], remark: "not measured") }
    ).with { $0.notes = notes(margin: analysis.equivalenceMargin) }
  }

  private typealias Field = Table.Field<CellReport>

  private func fields(of analysis: RunAnalysis) -> [Field] {
    // Tables of jobs that fail or are cancelled have many columns. A terminal then shows a mark behind the ratio instead of the interval.
    let scarce: Document.Medium? = showsStopping ? .page : nil
    let hasOverhead = !showsProcess && !showsPostsBefore
    return [
      Field(
        "contender", cells.contains { $0.summary.shipsWith != nil } ? 18 : 17, isLeft: true,
        term: hasService ? "service" : analysis.hasCopy ? "cp" : nil
      ) {
        .name($0.summary.contender, shipsWith: $0.summary.shipsWith)
      }
    ] + shippers + [
      Field(timeTitle, showsStopping ? 10 : 12, term: "time") { .duration(timeNanoseconds($0)) }
    ] + uncertainty + [
      Field("overhead", 9, on: hasOverhead ? scarce : .page) {
        // The service alone is measured with the least possible other work, so a contender that seems faster is a measurement error.
        hasService && overheadNanoseconds($0) ?? 0 < 0
          ? Table.Cell("none") : .duration(overheadNanoseconds($0), isSigned: true)
      },
      Field("ratio", showsStopping ? 8 : 6, cell: ratio),
      Field("[interval]", 11, isLeft: true, on: scarce) { Table.Cell(Self.interval($0)) },
      Field("p90", on: .page) { .duration(onTheSameTerms($0.summary.p90Nanoseconds)) },
      Field("cold", on: .page) { .duration(onTheSameTerms($0.coldNanoseconds)) },
    ] + (showsStopping ? stopping : showsProcess ? process : special) + [
      Field("allocs/\(unit)", on: .page) { .number($0.summary.allocationsPerUpload, NumberText.threeDigits) },
      Field("lines", on: .page) { .count($0.summary.sourceLines) },
      Field("rank", 5) { .count($0.summary.rankGroup) },
      Field("verdict", isLeft: true, on: .page) {
        Table.Cell(Self.verdict($0, margin: analysis.equivalenceMargin))
      },
      Field("", on: .terminal, term: "bar") { Table.Cell(Self.bar($0)) },
    ]
  }

  private var uncertainty: [Field] {
    cells.contains { !$0.uncertainty.isEmpty } ? [Field("±", on: .page) { Table.Cell($0.uncertainty) }] : []
  }

  private var shippers: [Field] {
    guard cells.contains(where: { $0.summary.shipsWith != nil }) else { return [] }
    return [Field("ships with", isLeft: true, on: .page) { Table.Cell($0.summary.shipsWith ?? "") }]
  }

  private var process: [Field] {
    [
      Field("threads", 8) { .count($0.summary.peakThreads) },
      Field("timer lag", 10) { .duration($0.summary.heartbeatWorstNanoseconds.map { Double($0) }) },
    ]
  }

  private var stopping: [Field] {
    [
      Field("reported", 9) { .duration($0.summary.failureToCompletionNanoseconds) },
      Field("stopped", 8) { .duration($0.summary.failureToStopNanoseconds) },
      Field("late", 5) { .number($0.summary.startsAfterFailure, NumberText.whole) },
      Field("wasted", 7) { .number($0.summary.wastedBytes, NumberText.bytes) },
    ]
  }

  private var special: [Field] {
    let fields: [(isShown: Bool, Field)] = [
      (
        cells.contains { $0.summary.efficiency != nil },
        Field("effic.", 7) { .number($0.summary.efficiency, NumberText.ratio) }
      ), (showsMemory, Field("memory", 9) { .number(memoryBytes($0), NumberText.bytes) }),
      (showsThroughput, Field("MiB/s", 7) { .number($0.summary.bytesPerSecond, NumberText.mebibytes) }),
      (showsPostsBefore, Field("before", 8) { .number($0.summary.postsBefore, NumberText.whole) }),
    ]
    return fields.filter(\.isShown).map(\.1)
  }

  private func ratio(_ cell: CellReport) -> Table.Cell {
    guard let ratio = cell.summary.ratio.map(NumberText.ratio) else { return "" }
    guard showsStopping else { return Table.Cell(ratio) }
    return Table.Cell(ratio, short: ratio + (cell.comparison.flatMap { Self.mark($0.verdict) } ?? "  "))
  }

  static func interval(_ cell: CellReport) -> String {
    switch cell.standing {
    case .reference: return "reference"
    case .externalBaseline: return "external"
    case .notCompared: return ""
    case .compared(let comparison):
      guard let range = comparison.interval else { return "unresolved" }
      return GrowthReport.interval(range.lowerBound, range.upperBound) + (mark(comparison.verdict) ?? "")
    }
  }

  /// The mark behind a ratio that is not proved to differ from 1.
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
    switch (cell.summary.verdict, cell.standing) {
    case (.equivalent, _): return "equivalent"
    case (let verdict?, _) where verdict == .faster || verdict == .slower:
      let isSmall = cell.summary.isWithinMargin == true
      return verdict.rawValue + (isSmall ? ", by less than " + NumberText.percent(margin) : "")
    case (.some, _): return "unresolved" + (cell.summary.unresolvedReason.map { ": " + $0 } ?? "")
    case (nil, .reference): return "reference"
    case (nil, .externalBaseline): return "external baseline, not ranked"
    case (nil, _): return "not compared"
    }
  }
}

extension RunAnalysis {
  var terms: KeyValuePairs<String, String> {
    let margin = NumberText.percent(equivalenceMargin)
    let linear = GrowthRecord.linearExponents
    return [
      "time": "median per \(unit), or of the whole job if it creates no post",
      "±": CellReport.uncertaintyTerm,
      "overhead":
        "median of the paired differences to \(scenarios.contains(where: \.hasService) ? "the service alone where the run measured it, else to " : "")\(reference), per the same unit",
      "service": "the service alone: a driver sends requests and counts answers; it is no contender",
      "ratio":
        "trimmed mean of the rounds' ratios to \(reference), with its 95 % interval, which covers this run's rounds and processes; the same machine an hour later may differ by more; = : proved to lie within \(margin) of 1, and not to differ from it; ? : neither is proved (over all cells, Holm, 5 %); unresolved: too few rounds for an interval",
      "bar": "the ratio, drawn from 0; half dark within its interval, and pale where there is none",
      "p90": "90th percentile, per the same unit",
      "cold": "median of the first samples of fresh processes, per the same unit",
      "effic.": "ideal ÷ measured: 1 = as fast as the service permits",
      "memory": "peak resident memory of the whole process ÷ units, an upper bound for one unit",
      "MiB/s": "the post's bytes ÷ its median time",
      "before": "how many posts of low priority ended before the timed post",
      "cp": "the same files copied by the system's cp in the same rounds; it is no contender",
      "reported": "from the first failure, the cancel or the deadline to the caller's completion",
      "stopped":
        "from the failure, cancel or deadline until all uploads had ended and the completion was released",
      "late": "uploads that started after the failure, cancel or deadline, per post",
      "wasted": "bytes of complete uploads whose post was not created, per post",
      "threads": "most threads of the process at once",
      "timer lag": "largest delay of a task of the idiom that is due every millisecond",
      "N^":
        "exponent of the time of a post as a power of its uploads, from 1000 uploads on if there are two such fan-outs, else from 10, with its 95 % interval; widest: between the two largest. linear: proved to lie within \(NumberText.ratio(linear.lowerBound)) and \(NumberText.ratio(linear.upperBound))",
      "bytes":
        "resident memory at its most during a post above that before it ÷ uploads, at the largest fan-out, the service's included",
      "rank":
        "only where contenders share one exactly if the run cannot distinguish them; P(fastest), below a table: how probably each is the fastest",
    ]
  }
}

extension ScenarioReport {
  /// Notes below the table: undecided results, and how many rounds would decide them. One a line.
  func notes(margin: Double) -> [String] {
    let scatter = ScatterNotes.all(cells.map { ($0.summary.contender, $0) }, margin: margin) {
      time, _ in onTheSameTerms(time)
    }
    return [disturbance.remark, firstRank].compactMap(\.self) + scatter + [unresolved].compactMap(\.self)
  }

  private static let mostNames = 3

  /// The contenders that share the first rank, such as `P(fastest): futures 71 %, callbacks 29 %`; `nil` if only one has that rank.
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

  /// The estimated rounds as text, such as `estimated rounds needed: futures 120, operations 10 000 or more`.
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

  private static func roundsText(_ rounds: Int) -> String {
    NumberText.about(rounds) + (rounds >= AnalysisOptions.mostRoundsToResolve ? " or more" : "")
  }
}
