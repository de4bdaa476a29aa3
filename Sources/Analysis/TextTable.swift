import Results

/// One scenario's block of the terminal report.
struct TextTable {
  let scenario: ScenarioReport
  let ink: Ink

  private static let nameWidth = 18

  var lines: [String] {
    let title = TextReport.wrap(
      "\(scenario.place): \(scenario.subject), \(scenario.roundsText)", indent: 2)
    return title.map(ink.bold) + [ink.dim(header)] + scenario.cells.flatMap(row)
      + scenario.missing.map { "  " + left($0, Self.nameWidth) + "  not measured" }
      + notes.flatMap { TextReport.wrap("  " + $0, indent: 4).map(ink.dim) }
  }

  /// One column after the name: flush right, or left for an interval.
  private struct Field {
    let title: String
    let width: Int
    var isLeft = false
    let value: (CellReport) -> String
  }

  private var fields: [Field] {
    let rank = Field(title: "rank", width: 5) { $0.summary.rankGroup.map(String.init) ?? "" }
    if scenario.showsStopping { return stopping + [rank] }
    return [time] + (scenario.showsProcess || scenario.showsPostsBefore ? [] : [overhead]) + [
      ratio, interval,
    ]
      + (scenario.showsProcess ? process : efficiency) + (scenario.showsMemory ? [memory] : []) + throughput
      + postsBefore + [rank]
  }

  private var time: Field {
    Field(title: scenario.timeTitle, width: 13) {
      scenario.timeNanoseconds($0).map { NumberText.duration($0) } ?? ""
    }
  }

  private var overhead: Field {
    Field(title: "overhead", width: 11) { cell in
      guard cell.comparison != nil, let overhead = scenario.overheadNanoseconds(cell) else { return "" }
      return NumberText.duration(overhead, isSigned: true)
    }
  }

  private var ratio: Field {
    Field(title: "ratio", width: 7) { $0.summary.ratio.map(NumberText.ratio) ?? "" }
  }

  private var interval: Field {
    Field(title: " [interval]", width: 17, isLeft: true) { " " + Self.interval($0) }
  }

  private var efficiency: [Field] {
    guard scenario.cells.contains(where: { $0.summary.efficiency != nil }) else { return [] }
    return [Field(title: "effic.", width: 7) { $0.summary.efficiency.map(NumberText.ratio) ?? "" }]
  }

  private var throughput: [Field] {
    guard scenario.showsThroughput else { return [] }
    return [Field(title: "MiB/s", width: 7) { $0.summary.bytesPerSecond.map(NumberText.mebibytes) ?? "" }]
  }

  private var postsBefore: [Field] {
    guard scenario.showsPostsBefore else { return [] }
    return [Field(title: "before", width: 8) { $0.summary.postsBefore.map(NumberText.whole) ?? "" }]
  }

  private var memory: Field {
    Field(title: "memory", width: 9) { scenario.memoryBytes($0).map(NumberText.bytes) ?? "" }
  }

  /// What the blocked calls do to the process.
  private var process: [Field] {
    [
      Field(title: "threads", width: 8) { $0.summary.peakThreads.map(String.init) ?? "" },
      Field(title: "heartbeat", width: 10) {
        $0.summary.heartbeatWorstNanoseconds.map { NumberText.duration(Double($0)) } ?? ""
      },
    ]
  }

  /// How a job ends that fails or is cancelled. The interval has no room; what it proves stands behind the ratio.
  private var stopping: [Field] {
    [
      Field(title: scenario.timeTitle.replacing("time ", with: ""), width: 10) {
        scenario.timeNanoseconds($0).map { NumberText.duration($0) } ?? ""
      },
      Field(title: "ratio  ", width: 8) { cell in
        guard let ratio = cell.summary.ratio.map(NumberText.ratio) else { return "" }
        return ratio + (cell.comparison.flatMap { Self.mark($0.verdict) } ?? "  ")
      },
      Field(title: "reported", width: 10) { Self.duration($0.summary.failureToCompletionNanoseconds) },
      Field(title: "stopped", width: 10) { Self.duration($0.summary.failureToStopNanoseconds) },
      Field(title: "late", width: 6) { $0.summary.startsAfterFailure.map(NumberText.whole) ?? "" },
      Field(title: "wasted", width: 10) { $0.summary.wastedBytes.map(NumberText.bytes) ?? "" },
    ]
  }

  /// Whether anybody is told apart from anybody.
  private var hasRanks: Bool { scenario.cells.contains { ($0.summary.rankGroup ?? 1) > 1 } }

  private var header: String { line("contender", fields.map(\.title)) }

  private func row(_ cell: CellReport) -> [String] {
    if let explanation = cell.explanation {
      let name = "  " + left(cell.summary.contender, Self.nameWidth) + "  "
      return TextReport.wrap(name + explanation, indent: Self.nameWidth + 4).map(ink.red)
    }
    let name = cell.summary.contender
    let values = fields.map { $0.value(cell) }
    // A long name, such as a variant's, has a line of its own: cut short, it would be another's.
    let lines = name.count > Self.nameWidth ? ["  " + name, line("", values)] : [line(name, values)]
    return lines.map { cell.summary.rankGroup == 1 && hasRanks ? ink.green($0) : $0 }
  }

  private static func duration(_ nanoseconds: Double?) -> String {
    nanoseconds.map { NumberText.duration($0) } ?? ""
  }

  private static func interval(_ cell: CellReport) -> String {
    switch cell.standing {
    case .reference: return "reference"
    case .yardstick: return "yardstick"
    case .notCompared: return ""
    case .compared(let comparison):
      guard let low = comparison.ratioLow, let high = comparison.ratioHigh else { return "unresolved" }
      return "[\(NumberText.ratio(low)), \(NumberText.ratio(high))]"
        + (Self.mark(comparison.verdict) ?? "")
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

  private func line(_ name: String, _ texts: [String]) -> String {
    "  " + left(name, Self.nameWidth)
      + zip(fields, texts).map { $0.isLeft ? left($1, $0.width) : right($1, $0.width) }.joined()
  }

  private func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
