import Results
import Statistics

/// The summary of a run on one screen: what each contender costs in each class of work.
public struct Answer: Sendable, Equatable {
  public let columns: [Column]
  /// The contenders' rows, by group. In a group, variants come last and the others are sorted by their time in one class of work.
  public let rows: [Row]
  /// The contender to which ratios are relative by default.
  public let usual: String
  /// Every contender to which ratios can be relative.
  public let references: [String]
  /// The number of benchmarks if the run measured a user's own suite instead of this package's scenarios; otherwise `nil`.
  let benchmarks: Int?
  let scenarios: Int
  /// The number of contenders that were measured, without external baselines such as `cp`.
  let measured: Int
  /// The run's margin as a share: how far from 1 a ratio may be and still be equivalent.
  let margin: Double
  /// The machine and the build, in one line.
  let place: String
  /// The other runs whose contenders have rows in this summary.
  let otherRuns: [OtherRun]
  /// Sentences about what is undecided, noisy, failed or not measured, and about how time grows with the fan-out.
  let notes: [String]
  /// How the time of an upload changes with the number of concurrent uploads; `nil` for fewer than three fan-outs.
  let growth: Growth?
  /// The scenarios that are shown one by one, in addition to the means.
  let jobs: [Job]

  public struct Column: Sendable, Equatable {
    public let workClass: ScenarioClass
    public let names: [String]
    /// The scenario for which the time of a whole job is shown: the one with the most uploads in which a comparison is decided.
    public let example: String
    public let exampleUploads: Int
  }

  public struct Row: Sendable, Equatable {
    public let contender: String
    /// The contender's name for readers, such as `DispatchGroup`.
    public let title: String
    public let idiom: IdiomRecord?
    /// The contender's lines of code for the pattern `publish`, or for the most frequent other pattern; `nil` if unknown.
    public let lines: Int?
    /// The contender's costs, one for each column (class of work).
    public let costs: [Cost]
    /// The name of the run that measured the contender; `nil` means the run that is summed up.
    var run: String?

    /// Whether the contender is a second spelling of another contender, or code from an article.
    var isVariant: Bool { contender.contains("/") }
    var comesWithSwift: Bool { idiom?.shipsWith == "toolchain" && !isVariant }
    /// The contender's name in the middle of a sentence.
    var name: String {
      let own = contender.replacing("-", with: " ")
      return title.lowercased().hasPrefix(own.prefix { $0 != "/" })
        ? title.prefix(1).lowercased() + title.dropFirst() : title
    }
  }

  /// What a contender costs in one class of work.
  public struct Cost: Sendable, Equatable {
    /// The mean time ratios over the class of work, by the name of the reference that the ratio is relative to.
    public let time: [String: ClassMean]
    public let processor: [String: ClassMean]
    /// The voluntary context switches per upload: the median over the scenarios of the class of work.
    public let threadSwitchesPerUpload: Double?
    /// The largest number of threads in any scenario of the class of work.
    public let peakThreads: Int?
    /// The contender's results in the example scenario of the class of work; `nil` if it has no time there.
    let example: CellReport?
    /// The processor time of an upload, by scenario.
    var processorNanoseconds: [String: Double] = [:]
    public let failed: Int
    public let measured: Int
  }
}

extension Answer {
  /// - Parameter others: other recorded runs, for contenders that this run did not measure.
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
      // The example is the scenario with the most uploads; scenarios without uploads come last. In the class `computing`, the later of two
      // equal scenarios is chosen, because it computes longer for each upload.
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
    // Verdicts are relative to `callbacks`. Few people write callbacks, so the summary shows ratios to DispatchGroup instead.
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
    jobs = zip(classes, columns).flatMap { group, column in
      let isPlain = [.uploadsWait, .failing].contains(column.workClass)
      return group.scenarios.filter { $0.name == column.example || isPlain && $0.pattern == "publish" }.map {
        Job($0, column.workClass)
      }
    }
  }

  /// The contender's name for readers. Contenders that come with Swift have their type's name, contenders of a library the library's name,
  /// and others their own name. The name of a variant is in brackets.
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

extension Answer {
  struct Job: Sendable, Equatable {
    let scenario: String
    /// What the job does, such as `uploads wait: 100 uploads, at most 10 at once`.
    let title: String

    fileprivate init(_ scenario: ScenarioReport, _ workClass: ScenarioClass) {
      self.scenario = scenario.name
      let parts: [String?] = [
        "\(NumberText.thousands(scenario.fanOut)) upload\(scenario.fanOut == 1 ? "" : "s")",
        scenario.pattern == "publish" ? nil : scenario.pattern,
        scenario.inFlightLimit.map { "at most \($0) at once" },
        scenario.end == .error ? "one fails (until the caller knows)" : nil,
        scenario.end == .cancellation ? "cancelled (until the caller knows)" : nil,
      ]
      // A server on the same machine takes its processors, so those requests do not merely wait.
      let start = scenario.service == "http" ? "HTTP requests to this machine" : workClass.title
      title = "\(start): " + parts.compactMap(\.self).joined(separator: ", ")
    }
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
    processorNanoseconds = cells.reduce(into: [:]) {
      $0[$1.summary.scenario] = $1.summary.cpuNanosecondsPerUpload
    }
    failed = cells.count { $0.summary.outcome != .measured }
    measured = cells.count - failed
  }
}

extension CellReport {
  /// Whether the time is proved to differ from the reference's time, or to be equivalent to it.
  var isDecided: Bool { summary.verdict.map { $0 != .unresolved } ?? false }
}

/// The class of work of a scenario. One mean sums up the scenarios of a class.
public enum ScenarioClass: String, Sendable, Hashable, Codable {
  /// Uploads take no time and all start concurrently, so a job's time is the time of coordination.
  case nothingWaits = "nothing_waits"
  /// Uploads take no time, but only a few run concurrently. Each upload that ends starts the next one.
  case limited
  /// Uploads take as long as on a network, with or without a limit.
  case uploadsWait = "uploads_wait"
  /// Uploads do not wait, and a processor works on each of them.
  case computing
  case blocking
  case failing
  /// The scenario, such as a race, belongs to none of the other classes. It is shown only in its own table.
  case other

  /// The classes that are columns of the summary, from left to right.
  static let columns: [ScenarioClass] = [
    .uploadsWait, .nothingWaits, .limited, .computing, .blocking, .failing,
  ]

  /// The class of work that follows from a sample's service and limit, for records that do not state the class.
  static func inferred(from sample: Sample) -> ScenarioClass? {
    switch sample.service {
    case "instant": sample.inFlightLimit == nil ? .nothingWaits : .limited
    case "latency", "file", "http": .uploadsWait
    case "blocking": .blocking
    default: nil
    }
  }

  /// The class's title, the meaning of the title, and the first words of a sentence about the class.
  var words: (title: String, meaning: String, opening: String) {
    switch self {
    case .uploadsWait: ("uploads wait", "for ms, as on a network", "When uploads wait")
    case .nothingWaits: ("nothing waits", "answers come at once", "Where nothing waits")
    case .limited: ("no wait, limited", "answers at once, few in flight", "Limited, without a wait")
    case .computing: ("each computes", "work for a processor", "Where each computes")
    case .blocking: ("calls block", "each holds a thread", "Where calls block")
    case .failing: ("failing", "whole job, until caller knows", "When a job fails")
    case .other: ("other", "", "")
    }
  }

  var title: String { words.title }
}

extension PairRecord {
  /// Pairs the samples of each two contenders that come with Swift, because a quotient of two ratios to the reference has no interval.
  static func all(of cells: [CellKey: CellSamples], run: String, options: AnalysisOptions) -> [PairRecord] {
    let own = cells.values.filter { cell in
      // Variants (contenders with a slash in the name) are left out, because they answer other questions.
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
