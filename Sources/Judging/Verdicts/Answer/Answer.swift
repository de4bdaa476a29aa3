import Results
import Statistics

/// Which contender costs what in which class of work: what a run says, on one screen.
public struct Answer: Sendable, Equatable {
  /// What ratios are taken against.
  public let baseline: String
  public let columns: [Column]
  /// The baseline first, then group by group, by their time in the first class that tells them apart.
  public let rows: [Row]
  /// What comes with Swift and Foundation beside each other.
  let pairs: [PairRecord]
  /// How many scenarios are in none of the columns.
  let apart: Int
  /// What is undecided, noisy, failed or not measured, and how time grows with the fan-out: a sentence each.
  let notes: [String]

  public struct Column: Sendable, Equatable {
    public let workClass: ScenarioClass
    public let names: [String]
    public var scenarios: Int { names.count }
    /// The scenario with the most uploads in which anything is decided: what a whole job takes is told of it.
    public let example: String
    public let exampleUploads: Int
  }

  public struct Row: Sendable, Equatable {
    public let contender: String
    public let idiom: IdiomRecord?
    /// One for each column.
    public let costs: [Cost]

    /// Whether it is another spelling of a contender, which sentences name where it matters.
    var isVariant: Bool { contender.contains("/") }
  }

  /// What a contender costs in one class of work.
  public struct Cost: Sendable, Equatable {
    public let time: Mean
    public let processor: Mean
    /// The median of its scenarios' voluntary context switches per upload.
    public let threadSwitchesPerUpload: Double?
    /// The most threads of any of its scenarios.
    public let peakThreads: Int?
    /// The cell in the column's example.
    let example: CellReport?
    /// How many scenarios have no number, because the contender failed.
    public let failed: Int
  }

  /// The geometric mean of ratios to the baseline, over all scenarios of a class in which there is one.
  ///
  /// Undecided ones are near 1: without them every mean would be further from it than the truth.
  public struct Mean: Sendable, Equatable {
    /// nil: none is decided.
    public let ratio: Double?
    public let decided: Int
    /// The scenarios that were compared and not decided; they are in the mean, if any other is decided.
    public let undecided: [String]
    /// The largest ratio of all scenarios, decided or not: a mean hides it.
    public let most: Single?
    /// The highest end of the intervals of all these ratios, or the largest ratio, where none has an interval that reaches further.
    public let bound: Double?

    init(_ comparisons: [Comparison]) {
      decided = comparisons.count { $0.verdict != .unresolved && $0.ratio != nil }
      ratio = decided == 0 ? nil : LogRatio.geometricMean(comparisons.compactMap(\.ratio))
      undecided = comparisons.filter { $0.verdict == .unresolved || $0.ratio == nil }.map(\.scenario)
      most = comparisons.compactMap { comparison in
        comparison.ratio.map { Single(scenario: comparison.scenario, ratio: $0) }
      }.max { $0.ratio < $1.ratio }
      bound = comparisons.compactMap { [$0.ratio, $0.high].compactMap(\.self).max() }.max()
    }
  }

  /// A ratio to the baseline in one scenario.
  public struct Single: Sendable, Equatable {
    public let scenario: String
    public let ratio: Double
  }

  typealias Comparison = (scenario: String, ratio: Double?, high: Double?, verdict: Verdict?)
}

extension Answer {
  /// nil where there is nothing to sum up: a single scenario, nobody to compare, or no uploads.
  ///
  /// - Parameter idioms: what each contender is to its users, by name.
  public init?(_ analysis: RunAnalysis, idioms: [String: IdiomRecord] = [:]) {
    let classes = ScenarioClass.columns.map { workClass in
      (workClass, scenarios: analysis.scenarios.filter { $0.workClass == workClass && $0.context == nil })
    }.filter { !$0.scenarios.isEmpty }
    let scenarios = classes.flatMap(\.scenarios)
    guard scenarios.count > 1, scenarios.contains(where: { $0.cells.contains { $0.comparison != nil } })
    else {
      return nil
    }
    let columns = classes.map { workClass, scenarios in
      let told = scenarios.filter { $0.cells.contains(where: \.isDecided) }
      // The first of those with the most uploads; what has no uploads but chunks or lookups, if there is nothing else.
      // Of pieces of several lengths, which stand in this order, the longer ones say more of computing.
      let candidates = told.isEmpty ? scenarios : told
      let example = (workClass == .computing ? candidates.reversed() : candidates).ordered {
        SortKey(numbers: [$0.about == nil ? 0 : 1, -Double($0.fanOut)])
      }[0]
      return Column(
        workClass: workClass, names: scenarios.map(\.name), example: example.name,
        exampleUploads: example.fanOut)
    }
    let contenders = analysis.scenarios.filter { $0.context == nil }.flatMap(\.cells)
      .filter { $0.standing != .externalBaseline }
      .map(\.summary.contender).unique()
    let rows = contenders.map { contender in
      Row(
        contender: contender, idiom: idioms[contender],
        costs: zip(classes, columns).map { Cost(of: contender, in: $0.scenarios, example: $1.example) })
    }
    baseline = analysis.reference
    pairs = analysis.pairs
    notes = analysis.open + analysis.growth.sentences
    apart = analysis.scenarios.count { $0.workClass == .other && $0.context == nil }
    self.columns = columns
    self.rows = rows.ordered { row in
      SortKey(
        numbers: [row.contender == analysis.reference ? 0 : 1, Double(row.idiom?.groupNumber ?? 0)]
          + row.costs.map { $0.time.ratio ?? .infinity }, last: row.contender)
    }
  }
}

extension Answer.Cost {
  /// ``example``, if it is decided there whose time is longer.
  var decidedExample: CellReport? {
    example.flatMap { $0.isDecided || $0.standing == .reference ? $0 : nil }
  }

  fileprivate init(of contender: String, in scenarios: [ScenarioReport], example: String) {
    let cells = scenarios.flatMap(\.cells).filter { $0.summary.contender == contender }
    let compared = cells.filter { $0.standing == .reference || $0.comparison != nil }
    time = Answer.Mean(
      compared.map {
        ($0.summary.scenario, $0.summary.ratio, $0.summary.ratioHigh, $0.summary.verdict)
      })
    processor = Answer.Mean(
      compared.map { cell in
        cell.standing == .reference
          ? (cell.summary.scenario, 1, nil, nil)
          : (
            cell.summary.scenario, cell.processor?.ratio, cell.summary.cpuRatioHigh,
            cell.processor?.verdict ?? .unresolved
          )
      })
    threadSwitchesPerUpload = Quantiles.median(of: cells.compactMap(\.summary.voluntarySwitchesPerUpload))
    peakThreads = cells.compactMap(\.summary.peakThreads).max()
    self.example = cells.first { $0.summary.scenario == example }
    failed = cells.count { $0.summary.outcome != .measured }
  }
}

extension CellReport {
  /// Whether its time is proved to differ from the reference's, or to be equivalent.
  var isDecided: Bool { summary.verdict.map { $0 != .unresolved } ?? false }
}

/// Where the time of a scenario goes; those of a class are told in one number.
public enum ScenarioClass: String, Sendable, Hashable, Codable {
  /// An upload takes no time, and all run at once: what is left is coordination.
  case nothingWaits = "nothing_waits"
  /// The same, but only so many at once: each end starts the next.
  case limited
  /// Uploads take as long as a network lets them: with a limit, too.
  case uploadsWait = "uploads_wait"
  /// Nothing waits, and each upload is work for a processor.
  case computing
  case blocking
  case failing
  /// What it asks is another question, such as which post comes first: it is in its own table only.
  case other

  /// The columns of the answer, in their order.
  static let columns: [ScenarioClass] = [
    .uploadsWait, .nothingWaits, .limited, .computing, .blocking, .failing,
  ]

  /// What a record without the class tells: the service, and whether there is a limit.
  static func inferred(from sample: Sample) -> ScenarioClass? {
    switch sample.service {
    case "instant": sample.inFlightLimit == nil ? .nothingWaits : .limited
    case "latency", "file", "http": .uploadsWait
    case "blocking": .blocking
    default: nil
    }
  }

  /// What it is called; what that does not say; and how a sentence about it begins.
  var words: (title: String, meaning: String, opening: String) {
    switch self {
    case .nothingWaits: ("nothing waits", "uploads take no time", "Where nothing waits (tiny tasks)")
    case .limited: ("few at once", "nothing waits, limited", "Where only a few may run at once")
    case .uploadsWait: ("uploads wait", "", "Where uploads wait (as for a network)")
    case .computing: ("each computes", "work for a processor", "Where each upload computes")
    case .blocking: ("calls block", "each holds a thread", "Where calls block their thread")
    case .failing: ("failing", "until the caller knows", "Until the caller of a failing job knows")
    case .other: ("other", "", "")
    }
  }

  var title: String { words.title }
}

extension PairRecord {
  /// Every contender that comes with Swift and Foundation beside every other one, by scenario, paired by round like ratios to the
  /// reference.
  ///
  /// Quotients of two ratios to the reference would lack an interval, and be of other rounds.
  static func all(of cells: [CellKey: CellSamples], run: String, options: AnalysisOptions) -> [PairRecord] {
    let own = cells.values.filter { cell in
      // A variant answers another question.
      cell.isRankable && !cell.key.contender.contains("/")
        && options.idioms[cell.key.contender]?.shipsWith == "toolchain"
    }
    return own.grouped(by: \.key.place).values.flatMap { cells in
      cells.flatMap { candidate in
        cells.filter { $0.key != candidate.key }.map { PairRecord(candidate, $0, run: run) }
      }
    }.ordered {
      SortKey(first: $0.scenario, numbers: [], last: "\($0.machine ?? "") \($0.reference) \($0.contender)")
    }
  }

  private init(_ candidate: CellSamples, _ reference: CellSamples, run: String) {
    self.init()
    (self.run, scenario, machine) = (run, candidate.all[0].scenario, candidate.all[0].machine)
    (contender, self.reference) = (candidate.key.contender, reference.key.contender)
    let time = PairedSamples(candidate: candidate, reference: reference)
    let processor = PairedSamples(
      candidate: candidate, reference: reference, of: \.processorNanosecondsByTurn)
    rounds = time.pairs.count
    let (wall, cpu) = (RatioEstimate(time), RatioEstimate(processor))
    (ratio, cpuRatio) = (wall.ratio, cpu.ratio)
    (ratioLow, ratioHigh) = (wall.interval?.lowerBound, wall.interval?.upperBound)
    (cpuRatioLow, cpuRatioHigh) = (cpu.interval?.lowerBound, cpu.interval?.upperBound)
  }
}

extension Answer {
  /// Such as `async/await beside DispatchGroup: uploads wait 1.02, nothing waits 4.3, …`; none where the run has not both.
  var besides: [String] {
    [("swift-concurrency", "gcd-groups"), ("swift-concurrency", "operations")].compactMap { pair in
      let means = columns.compactMap { column -> String? in
        let records = pairs.filter {
          $0.contender == pair.0 && $0.reference == pair.1 && column.names.contains($0.scenario)
        }
        let (times, costs) = (records.compactMap(\.ratio), records.compactMap(\.cpuRatio))
        guard !times.isEmpty, !costs.isEmpty else { return nil }
        let numbers = [times, costs].map { NumberText.ratio(LogRatio.geometricMean($0)) }
        return "\(column.workClass.title) \(numbers.joined(separator: "/"))"
      }
      guard !means.isEmpty else { return nil }
      return "\(name(pair.0)) beside \(name(pair.1)), time/cpu: \(means.joined(separator: ", "))."
    }
  }

  private func name(_ contender: String) -> String {
    rows.first { $0.contender == contender }?.idiom?.name ?? contender
  }
}
