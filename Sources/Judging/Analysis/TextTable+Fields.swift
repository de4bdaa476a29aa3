import Results

extension TextTable {
  /// What stands in a row after the name.
  var fields: [Field] {
    let rank = Field(title: "rank", width: 5) { $0.summary.rankGroup.map(String.init) ?? "" }
    if scenario.showsStopping { return stopping + [rank] }
    return [time] + (scenario.showsProcess || scenario.showsPostsBefore ? [] : [overhead]) + [
      ratio, interval,
    ]
      + (scenario.showsProcess ? process : efficiency) + (scenario.showsMemory ? [memory] : []) + throughput
      + postsBefore + [rank]
  }

  private var time: Field {
    Field(title: scenario.timeTitle, width: 12) {
      scenario.timeNanoseconds($0).map { NumberText.duration($0) } ?? ""
    }
  }

  private var overhead: Field {
    Field(title: "overhead", width: 9) { cell in
      guard cell.comparison != nil, let overhead = scenario.overheadNanoseconds(cell) else { return "" }
      return NumberText.duration(overhead, isSigned: true)
    }
  }

  private var ratio: Field {
    Field(title: "ratio", width: 6) { $0.summary.ratio.map(NumberText.ratio) ?? "" }
  }

  private var interval: Field {
    Field(title: " [interval]", width: 11, isLeft: true) { " " + Self.interval($0) }
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
      Field(title: "reported", width: 9) { Self.duration($0.summary.failureToCompletionNanoseconds) },
      Field(title: "stopped", width: 8) { Self.duration($0.summary.failureToStopNanoseconds) },
      Field(title: "late", width: 5) { $0.summary.startsAfterFailure.map(NumberText.whole) ?? "" },
      Field(title: "wasted", width: 7) { $0.summary.wastedBytes.map(NumberText.bytes) ?? "" },
    ]
  }

  private static func duration(_ nanoseconds: Double?) -> String {
    nanoseconds.map { NumberText.duration($0) } ?? ""
  }

  private static func interval(_ cell: CellReport) -> String {
    switch cell.standing {
    case .reference: return "reference"
    case .externalBaseline: return "yardstick"
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
}
