import Results
import Statistics

/// Which contender costs what in which class of work: what a run says, on one screen.
public struct Answer: Sendable, Equatable {
  public let columns: [Column]
  /// Group by group; within one by time in the first class that knows it.
  public let rows: [Row]
  /// What ratios are shown against first.
  public let usual: String
  /// Every contender that ratios can be shown against.
  public let references: [String]
  /// How many benchmarks a package's own suite has; nil: it is none.
  let benchmarks: Int?
  let scenarios: Int
  /// How many contenders have a number.
  let measured: Int
  /// From one class's difference on it counts, as a share of 1: what is proved to be less is the same.
  let margin: Double
  /// Where the numbers come from, in one line.
  let place: String
  /// The runs that have rows here.
  let otherRuns: [OtherRun]
  /// What is undecided, noisy, failed or not measured, and how time grows with the fan-out: a sentence each.
  let notes: [String]
  /// Where time goes with the number of uploads; nil of fewer than three fan-outs.
  let growth: Growth?

  public struct Column: Sendable, Equatable {
    public let workClass: ScenarioClass
    public let names: [String]
    /// The scenario with the most uploads in which anything is decided: what a whole job takes is that of this one.
    public let example: String
    public let exampleUploads: Int
  }

  public struct Row: Sendable, Equatable {
    public let contender: String
    /// What a reader knows it by.
    public let title: String
    public let idiom: IdiomRecord?
    /// Lines of code of its `publish`, or of the pattern that most write; nil: unknown.
    public let lines: Int?
    /// One for each column.
    public let costs: [Cost]
    /// The run that measured it; nil: this one.
    var run: String?

    /// Whether it is another spelling of a contender, or an article's shape.
    var isVariant: Bool { contender.contains("/") }
    var comesWithSwift: Bool { idiom?.shipsWith == "toolchain" && !isVariant }
    /// Within a sentence.
    var name: String {
      let own = contender.replacing("-", with: " ")
      return title.lowercased().hasPrefix(own.prefix { $0 != "/" })
        ? title.prefix(1).lowercased() + title.dropFirst() : title
    }
  }

  /// What a contender costs in one class of work.
  public struct Cost: Sendable, Equatable {
    /// By what they are taken against.
    public let time: [String: ClassMean]
    public let processor: [String: ClassMean]
    /// The median of its scenarios' voluntary context switches per upload.
    public let threadSwitchesPerUpload: Double?
    /// The most threads of any of its scenarios.
    public let peakThreads: Int?
    /// The cell in the column's example, if it was measured there.
    let example: CellReport?
    public let failed: Int
    public let measured: Int
  }
}

extension Answer {
  /// - Parameters:
  ///   - environment: where it was recorded, and what each contender is to its users.
  ///   - others: runs of what this one did not measure.
  public init(
    _ analysis: RunAnalysis, _ environment: EnvironmentRecord? = nil, others: [OtherRun] = []
  ) {
    let idioms = environment?.idioms ?? [:]
    let plain = analysis.scenarios.filter { $0.context == nil }
    let classes = ScenarioClass.columns.map { workClass in
      (workClass, scenarios: plain.filter { $0.workClass == workClass })
    }.filter { !$0.scenarios.isEmpty }
    let columns = classes.map { workClass, scenarios in
      let decided = scenarios.filter { $0.cells.contains(where: \.isDecided) }
      // The first of those with the most uploads; what has no uploads but chunks or lookups, if there is nothing else.
      // Of pieces of several lengths, which stand in this order, the longer ones say more of computing.
      let candidates = decided.isEmpty ? scenarios : decided
      let example = (workClass == .computing ? candidates.reversed() : candidates).ordered {
        SortKey(numbers: [$0.about == nil ? 0 : 1, -Double($0.fanOut)])
      }[0]
      return Column(
        workClass: workClass, names: scenarios.map(\.name), example: example.name,
        exampleUploads: example.fanOut)
    }
    let cells = plain.flatMap(\.cells).filter { $0.standing != .externalBaseline }
    let patterns = cells.filter { $0.summary.sourceLines != nil }.map(\.summary.pattern)
    let pattern =
      patterns.contains("publish")
      ? "publish" : patterns.grouped(by: \.self).max { $0.1.count < $1.1.count }?.key
    let own = cells.map(\.summary.contender).unique().map { contender in
      Row(
        contender: contender, title: Self.title(contender, idioms[contender]), idiom: idioms[contender],
        lines: cells.first { $0.summary.contender == contender && $0.summary.pattern == pattern }?.summary
          .sourceLines,
        costs: zip(classes, columns).map { Cost(of: contender, in: $0.scenarios, $1, analysis.means) })
    }
    let rowsOfOthers = others.map { $0.rows(of: columns, besides: own) }
    otherRuns = zip(others, rowsOfOthers).filter { !$1.isEmpty }.map { $0.0 }
    margin = analysis.equivalenceMargin
    notes = analysis.open + analysis.growth.sentences
    references = analysis.means.references.filter { name in own.contains { $0.contender == name } }
    // Callbacks are what ratios are proved against, and what few people write.
    let isWhole = own.contains { $0.contender == "gcd-groups" && $0.costs.allSatisfy { $0.failed == 0 } }
    usual =
      analysis.reference == "callbacks" && isWhole && references.contains("gcd-groups")
      ? "gcd-groups" : analysis.reference
    let usual = usual
    let first = columns.firstIndex { $0.workClass == .nothingWaits } ?? 0
    self.columns = columns
    rows = (own + rowsOfOthers.flatMap(\.self)).ordered { row in
      let time = row.costs.indices.contains(first) ? row.costs[first].time[usual]?.ratio : nil
      return SortKey(
        numbers: [
          Double(row.idiom?.groupNumber ?? 0), row.isVariant ? 1 : 0,
          row.run != nil && row.contender == Self.asked ? 0 : row.contender == usual ? 1 : time ?? .infinity,
        ], last: row.contender)
    }
    place = ReportNotes.place(environment)
    benchmarks = analysis.isSuite ? Set(analysis.scenarios.map(\.name)).count : nil
    scenarios = Set(analysis.scenarios.map(\.name)).count
    measured =
      Set(analysis.summaries.filter { $0.outcome == .measured && $0.samples > 0 }.map(\.contender))
      .subtracting([ExternalBaseline.service, ExternalBaseline.copy]).count
    growth = Growth(analysis, rows)
  }

  /// What comes with Swift is known by its type's name, what is written as its library by that, the others by their own; another
  /// spelling stands in brackets.
  private static func title(_ contender: String, _ idiom: IdiomRecord?) -> String {
    let parts = contender.split(separator: "/", maxSplits: 1).map { $0.replacing("-", with: " ") }
    let isKnown =
      idiom.map {
        $0.shipsWith == "toolchain" && !$0.name.contains(" ")
          || $0.shipsWith == "third party" && $0.name.lowercased() == parts[0].replacing(" ", with: "")
      } ?? false
    let start = parts[0].prefix(parts[0].count == 3 ? 3 : 1)
    let base = isKnown ? idiom?.name ?? "" : start.uppercased() + parts[0].dropFirst(start.count)
    return parts.count > 1 ? "\(base) (\(parts[1]))" : base
  }
}

extension Answer.Cost {
  fileprivate init(
    of contender: String, in scenarios: [ScenarioReport], _ column: Answer.Column, _ means: ClassMeans
  ) {
    let cells = scenarios.flatMap(\.cells).filter { $0.summary.contender == contender }
    func beside(_ known: [ClassMeans.Key: ClassMean]) -> [String: ClassMean] {
      means.references.reduce(into: [:]) { found, reference in
        found[reference] =
          known[.init(workClass: column.workClass, contender: contender, reference: reference)]
      }
    }
    (time, processor) = (beside(means.time), beside(means.processor))
    threadSwitchesPerUpload = Quantiles.median(of: cells.compactMap(\.summary.voluntarySwitchesPerUpload))
    peakThreads = cells.compactMap(\.summary.peakThreads).max()
    example = cells.first { $0.summary.scenario == column.example && $0.summary.medianNanoseconds != nil }
    failed = cells.count { $0.summary.outcome != .measured }
    measured = cells.count - failed
  }
}

extension CellReport {
  /// Whether its time is proved to differ from the reference's, or to be equivalent.
  var isDecided: Bool { summary.verdict.map { $0 != .unresolved } ?? false }
}

/// Where the time of a scenario goes. One number sums up the scenarios of a class.
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

  /// What it is called, what that means, and how a sentence about it begins.
  var words: (title: String, meaning: String, opening: String) {
    switch self {
    case .uploadsWait: ("uploads wait", "for ms, as on a network", "When uploads wait")
    case .nothingWaits: ("nothing waits", "answers come at once", "Where nothing waits")
    case .limited: ("few at once", "nothing waits, few in flight", "With few at once")
    case .computing: ("each computes", "work for a processor", "Where each computes")
    case .blocking: ("calls block", "each holds a thread", "Where calls block")
    case .failing: ("failing", "whole job, until caller knows", "When a job fails")
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
