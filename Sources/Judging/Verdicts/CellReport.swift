import Results
import Statistics

/// A cell's summary and what summary.csv has no column for.
public final class CellReport: Sendable, Equatable {
  /// Why a cell is not measured: a reason, and how many samples gave it.
  public struct Reason: Sendable, Equatable, Encodable {
    public let outcome: Outcome
    public let text: String
    public let samples: Int

    private enum CodingKeys: String, CodingKey { case outcome, text = "reason", samples }
  }

  public enum Standing: Sendable, Equatable {
    /// It is what the others are compared with.
    case reference
    case compared(Comparison)
    /// It is no contender.
    case externalBaseline
    /// It or the reference has no number to compare.
    case notCompared
  }

  public let summary: CellSummary
  public let standing: Standing
  /// What it takes of processor time beside the reference; nil where that is not known.
  public let processor: Comparison?
  /// From the least to the greatest median of a process, on the terms of the summary's median; nil of fewer than two processes.
  let processNanoseconds: ClosedRange<Double>?
  /// Median of the first samples of fresh processes, in nanoseconds per post: what a caller pays who does it once.
  public let coldNanoseconds: Double?
  /// 95 % interval of what it takes of processor time above the service, in nanoseconds per upload; nil where that was not driven
  /// alone, and of few rounds.
  let processorAboveService: ClosedRange<Double>?
  /// The most frequent first; empty if the cell is measured.
  public let reasons: [Reason]

  init(
    _ cell: CellSamples, run: String, comparison: Comparison?, processor: Comparison?,
    reference: CellSummary?, service: CellSamples?,
    rankGroup: Int?, rankProbabilities: RankProbabilities?, disturbance: ScenarioDisturbance,
    options: AnalysisOptions
  ) {
    let isReference = cell.isRankable && cell.key.contender == options.reference
    standing =
      if isReference {
        .reference
      } else if cell.isExternalBaseline {
        .externalBaseline
      } else if let comparison {
        .compared(comparison)
      } else {
        .notCompared
      }
    self.processor = processor
    coldNanoseconds = Quantiles.median(
      of: cell.all.filter { $0.round == 0 && $0.outcome == .measured && $0.dropped != .disturbed }
        .compactMap(\.wallNanoseconds).map(Double.init))
    reasons = Self.reasons(of: cell)

    var summary = CellSummary(cell, run: run)
    let uploads = summary.uploadsPerPost
    summary.rankGroup = rankGroup
    summary.rankProbabilities = rankProbabilities
    summary.disturbedRounds = disturbance.disturbedRounds
    summary.shipsWith = options.idioms[cell.key.contender]?.shipsWith
    summary.context =
      options.contexts[cell.key.scenario] ?? options.idioms[cell.key.contender]?.completions
    summary.sourceLines = options.sourceLines[cell.key.contender]?[cell.all[0].pattern]
    switch standing {
    case .reference:
      summary.reference = options.reference
      summary.ratio = 1
      summary.overheadNanosecondsPerUpload = 0
    case .compared(let comparison):
      summary.reference = options.reference
      summary.ratio = comparison.ratio
      let own = reference?.medianNanoseconds
      if let own, let ratio = comparison.ratio { summary.takeTime(own * ratio) }
      summary.ratioLow = comparison.interval?.lowerBound
      summary.ratioHigh = comparison.interval?.upperBound
      summary.verdict = comparison.verdict
      summary.isWithinMargin = comparison.isWithinMargin
      summary.roundsToResolve = comparison.roundsToResolve
      summary.overheadNanosecondsPerUpload = own.flatMap { own in
        summary.medianNanoseconds.map { ($0 - own) / uploads }
      }
    case .externalBaseline, .notCompared: break
    }
    var processorAboveService: ClosedRange<Double>?
    if let service, !cell.isExternalBaseline, cell.outcome == .measured {
      func median(_ pairs: PairedSamples) -> Double? {
        Quantiles.median(of: pairs.differencesNanoseconds).map { $0 / uploads }
      }
      let processor = PairedSamples(candidate: cell, reference: service, of: \.processorNanosecondsByTurn)
      summary.aboveServiceNanosecondsPerUpload = median(PairedSamples(candidate: cell, reference: service))
      summary.cpuAboveServiceNanosecondsPerUpload = median(processor)
      processorAboveService = processor.differenceInterval.map {
        $0.lowerBound / uploads...$0.upperBound / uploads
      }
    }
    self.processorAboveService = processorAboveService
    let medians = cell.processMedians
    if medians.count > 1, let least = medians.min(), let most = medians.max(),
      let own = Quantiles.median(of: cell.wallNanoseconds), own > 0
    {
      let factor = (summary.medianNanoseconds ?? own) / own
      processNanoseconds = least * factor...most * factor
    } else {
      processNanoseconds = nil
    }
    if let processor {
      summary.cpuRatio = processor.ratio
      if let own = reference?.cpuNanosecondsPerUpload, let ratio = processor.ratio {
        summary.cpuNanosecondsPerUpload = own * ratio
      }
      summary.cpuRatioLow = processor.interval?.lowerBound
      summary.cpuRatioHigh = processor.interval?.upperBound
      summary.cpuVerdict = processor.verdict
    }
    if summary.verdict == .unresolved { summary.unresolvedReason = disturbance.remark }
    self.summary = summary
  }

  private static func reasons(of cell: CellSamples) -> [Reason] {
    let failures = cell.all.filter { $0.outcome != .measured }
    let grouped = failures.grouped { [$0.outcome.rawValue, $0.reason] }
    return grouped.values
      .map { samples in
        // Neutralised, so that a report says the same before the samples were written and after.
        Reason(
          outcome: samples[0].outcome,
          text: SafeText.neutralised(samples[0].reason ?? "no reason recorded"), samples: samples.count)
      }
      .ordered { SortKey(numbers: [-Double($0.samples)], last: $0.text) }
  }

  public var comparison: Comparison? {
    if case .compared(let comparison) = standing { comparison } else { nil }
  }

  public static func == (left: CellReport, right: CellReport) -> Bool {
    left.summary == right.summary && left.standing == right.standing && left.processor == right.processor
      && left.reasons == right.reasons
      && left.coldNanoseconds == right.coldNanoseconds
  }
}

/// Where the samples of a run were taken.
struct SamplePlaces {
  /// Whether they are of more than one machine: only then a place names one.
  let areSeveral: Bool

  init(_ samples: [Sample]) { areSeveral = samples.contains { $0.machine != samples[0].machine } }

  func key(of sample: Sample) -> CellKey { key(sample.contender, sample.scenario, sample.machine) }

  func key(_ contender: String, _ scenario: String, _ machine: String?) -> CellKey {
    CellKey(contender: contender, scenario: scenario, machine: areSeveral ? machine : nil)
  }

  func cells(of samples: [Sample]) -> [CellKey: CellSamples] {
    samples.grouped(by: key).keyed { ($0, CellSamples(key: $0, samples: $1)) }
  }
}

/// When a sample was taken: samples of one scenario that share it are compared.
struct RoundKey: Hashable {
  let run: String
  let generation: Int
  let round: Int

  init(_ sample: Sample) {
    run = sample.run
    generation = sample.generation
    round = sample.round
  }

  var sortKey: SortKey { SortKey(first: run, numbers: [Double(generation), Double(round)]) }

  /// The set of processes it was taken in: one generation of one run.
  var process: String { "\(generation) \(run)" }
}

/// The samples of one cell, sorted by what they are good for.
final class CellSamples: Sendable {
  let key: CellKey
  /// In the order they were taken; never empty.
  let all: [Sample]
  /// The worst outcome of any sample, dropped ones included: a wrong answer is wrong in a warm-up too.
  let outcome: Outcome
  /// Measured and not dropped: what every number is made of.
  let counted: [Sample]
  /// The wall times of those, in nanoseconds per post, by turn; mostly one each.
  let wallNanosecondsByTurn: [RoundKey: [Double]]
  /// Their processor times likewise.
  let processorNanosecondsByTurn: [RoundKey: [Double]]
  /// The median wall time of each of its processes, in no order.
  let processMedians: [Double]

  init(key: CellKey, samples: [Sample]) {
    self.key = key
    all = samples
    outcome = .worst(samples.map(\.outcome))
    counted = samples.filter { $0.outcome == .measured && $0.dropped == nil }
    wallNanosecondsByTurn = Self.byTurn(counted, \.wall)
    processorNanosecondsByTurn = Self.byTurn(counted, \.cpuNanoseconds)
    processMedians = Dictionary(grouping: wallNanosecondsByTurn) { $0.key.process }
      .values.compactMap { Quantiles.median(of: $0.flatMap(\.value)) }
  }

  /// What is not above 0 has no ratio.
  private static func byTurn(_ samples: [Sample], _ measure: KeyPath<Sample, Double?>) -> [RoundKey: [Double]]
  {
    samples.reduce(into: [:]) { turns, sample in
      guard let value = sample[keyPath: measure], value > 0 else { return }
      turns[RoundKey(sample), default: []].append(value)
    }
  }

  /// Whether it may be compared and ranked.
  var isRankable: Bool { outcome == .measured && !counted.isEmpty && !isExternalBaseline }

  var isExternalBaseline: Bool { ExternalBaseline.contains(key.contender) }

  var wallNanoseconds: [Double] { counted.compactMap(\.wallNanoseconds).map(Double.init) }
}

/// Where the median time of another run would lie, on the machine as it was: samples of one process resemble each other, so processes
/// are what is counted.
enum ProcessInterval {
  /// At 95 %, from as many processes, by Student's t of the logarithms of their medians; nil of fewer than
  /// ``AnalysisOptions/fewestProcesses``.
  static func of(_ medians: [Double]) -> ClosedRange<Double>? {
    guard medians.count >= AnalysisOptions.fewestProcesses, medians.allSatisfy({ $0 > 0 }),
      let mean = TrimmedMean(of: medians.map { LogRatio.of($0, to: 1) })
    else { return nil }
    // Both runs vary, this one and the other.
    let reach = (mean.interval(level: Comparison.level).upperBound - mean.mean) * 2.0.squareRoot()
    return LogRatio.ratio(mean.mean - reach)...LogRatio.ratio(mean.mean + reach)
  }
}

extension CellSummary {
  /// What the cell's samples say by themselves, without any other cell.
  init(_ cell: CellSamples, run: String) {
    let first = cell.all[0]
    self.init()
    self.run = run
    contender = first.contender
    scenario = first.scenario
    pattern = first.pattern
    service = first.service
    fanOut = first.fanOut
    inFlightLimit = first.inFlightLimit
    payloadBytes = first.payloadBytes
    machine = first.machine
    samples = cell.counted.count
    dropped = cell.all.count { $0.dropped != nil }
    outcome = cell.outcome
    let counted = SampleGroup(cell.counted, median: Quantiles.median)
    for column in Self.columns { column.fill?(counted, &self) }
    let walls = cell.wallNanoseconds
    if let median = medianNanoseconds, let interval = ProcessInterval.of(cell.processMedians) {
      // Processes do not all have as many samples.
      medianLowNanoseconds = min(interval.lowerBound, median)
      medianHighNanoseconds = max(interval.upperBound, median)
    }
    // Of fewer values a high quantile is the maximum by another name.
    p90Nanoseconds = walls.count >= 10 ? Quantiles.quantile(0.9, of: walls) : nil
    p99Nanoseconds = walls.count >= 100 ? Quantiles.quantile(0.99, of: walls) : nil
    nanosecondsPerUpload = medianNanoseconds.map { $0 / uploadsPerPost }
    // Where the service touched every byte of the post, and a post came of it.
    if service == "file", fanOut > 0, payloadBytes > 0, ScenarioEnd.inferred(from: [first]) == .post {
      bytesPerSecond = medianNanoseconds.map { uploadsPerPost * Double(payloadBytes) / $0 * 1e9 }
    }
    setCounts(cell)
  }

  /// By the rule of ``CountedCell/exact(_:)``: what two processes or more have counted is exact if all counts are the same,
  /// and has a range otherwise. Both stay nil if fewer have counted anything.
  private mutating func setCounts(_ cell: CellSamples) {
    let counted = ExactCounts.countable.compactMap {
      name, count -> (entry: CountRanges.Entry, isExact: Bool)? in
      let samples = cell.counted.filter { count($0) != nil }
      guard Set(samples.map { RoundKey($0).process }).count > 1 else { return nil }
      let perUpload = samples.compactMap { sample in
        count(sample).map { Double($0) / Double(sample.iterations) / uploadsPerPost }
      }
      let entry = CountRanges.Entry(name: name, least: perUpload.min() ?? 0, most: perUpload.max() ?? 0)
      return (entry, Set(samples.map { count($0) ?? 0 }).count == 1)
    }
    guard !counted.isEmpty else { return }
    exactCounts = ExactCounts(counted.filter(\.isExact).map(\.entry.name))
    countRanges = CountRanges(counted.filter { !$0.isExact }.map(\.entry))
  }
}

extension CellSummary {
  /// Moves its times to the rounds of the reference: a cell has fewer rounds than that, and other ones, so the quotient of two
  /// medians would be another number than the ratio, which is of common rounds.
  fileprivate mutating func takeTime(_ nanoseconds: Double) {
    guard let median = medianNanoseconds, median > 0 else { return }
    let factor = nanoseconds / median
    for time in [
      \Self.medianNanoseconds, \.medianLowNanoseconds, \.medianHighNanoseconds, \.p90Nanoseconds,
      \.p99Nanoseconds, \.nanosecondsPerUpload,
    ] {
      self[keyPath: time] = self[keyPath: time].map { $0 * factor }
    }
    bytesPerSecond = bytesPerSecond.map { $0 / factor }
  }

  /// Uploads of a post, or 1 for the empty post, which is a cost of its own.
  var uploadsPerPost: Double { Double(max(fanOut, 1)) }
}
