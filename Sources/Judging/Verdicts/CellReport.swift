import Results
import Statistics

/// A contender's results in a scenario: the row of summary.csv, and values that have no column there.
public final class CellReport: Sendable, Equatable {
  /// A reason why a contender was not measured, and the number of samples with that reason.
  public struct Reason: Sendable, Equatable, Encodable {
    public let outcome: Outcome
    public let text: String
    public let samples: Int

    private enum CodingKeys: String, CodingKey { case outcome, text = "reason", samples }
  }

  public enum Standing: Sendable, Equatable {
    /// The contender is the reference of the scenario.
    case reference
    case compared(Comparison)
    /// A measurement to compare with that is not a contender, such as the system's `cp`.
    case externalBaseline
    /// The contender or the reference was not measured.
    case notCompared
  }

  public let summary: CellSummary
  public let standing: Standing
  /// The comparison of the contender's processor time with the reference's; `nil` if unknown.
  public let processor: Comparison?
  /// The range of the processes' median times; `nil` for fewer than two processes.
  let processNanoseconds: ClosedRange<Double>?
  /// Properties of the times that the median hides; `nil` if there are none.
  let tail: TimeTail?
  /// The time of a job in a fresh process: the median of the first samples of new processes, in nanoseconds.
  public let coldNanoseconds: Double?
  /// The reasons why the contender was not measured, most frequent first; empty if it was.
  public let reasons: [Reason]

  init(
    _ cell: CellSamples, run: String, comparison: Comparison?, processor: Comparison?,
    reference: CellSummary?, service: CellSamples?,
    rankGroup: Int?, rankProbabilities: RankProbabilities?, disturbance: ScenarioDisturbance,
    options: AnalysisOptions
  ) {
    let referenceKey = options.reference(of: cell.key)
    let isReference = cell.isRankable && cell.key == referenceKey
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
    summary.context = options.contexts[cell.key.scenario] ?? options.idioms[cell.key.contender]?.completions
    summary.sourceLines = options.sourceLines[cell.key.contender]?[cell.all[0].pattern]
    switch standing {
    case .reference:
      summary.reference = referenceKey.contender
      summary.ratio = 1
      summary.overheadNanosecondsPerUpload = 0
    case .compared(let comparison):
      summary.reference = referenceKey.contender
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
    if let service, !cell.isExternalBaseline, cell.outcome == .measured {
      func median(_ pairs: PairedSamples) -> Double? {
        Quantiles.median(of: pairs.differencesNanoseconds).map { $0 / uploads }
      }
      let processor = PairedSamples(candidate: cell, reference: service, of: \.processorNanosecondsByTurn)
      summary.aboveServiceNanosecondsPerUpload = median(PairedSamples(candidate: cell, reference: service))
      summary.cpuAboveServiceNanosecondsPerUpload = median(processor)
    }
    tail = cell.isRankable ? TimeTail(cell.wallNanoseconds) : nil
    let medians = cell.processMedians
    if medians.count > 1, let least = medians.min(), let most = medians.max() {
      processNanoseconds = least...most
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
        // Control characters are escaped, as in samples.csv, so a report of a run equals a report of the run's file.
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
      && left.reasons == right.reasons && left.coldNanoseconds == right.coldNanoseconds
  }
}

/// Makes keys for a run's samples: by contender and scenario, and by machine if there are several.
struct SamplePlaces {
  /// Whether the samples come from several machines. Only then do keys contain the machine.
  let areSeveral: Bool

  init(_ samples: [Sample]) { areSeveral = samples.contains { $0.machine != samples[0].machine } }

  func key(of sample: Sample) -> CellKey { key(sample.contender, sample.scenario, sample.machine) }

  func key(_ contender: String, _ scenario: String, _ machine: String?) -> CellKey {
    CellKey(contender: contender, scenario: scenario, machine: areSeveral ? machine : nil)
  }

  func cells(of samples: [Sample]) -> [CellKey: CellSamples] {
    SampleSelection(samples).groups(by: key).keyed { ($0, CellSamples(key: $0, samples: $1)) }
  }
}

/// Identifies a round of a run and its worker processes. Samples with equal keys were taken in succession, so they are compared.
struct RoundKey: Hashable, Comparable {
  let process: ProcessKey
  let round: Int

  init(_ sample: Sample) {
    process = ProcessKey(sample)
    round = sample.round
  }

  static func < (left: RoundKey, right: RoundKey) -> Bool {
    left.process != right.process ? left.process < right.process : left.round < right.round
  }
}

/// Identifies a generation: the worker processes that a run started together, one for each contender.
struct ProcessKey: Hashable, Comparable {
  let run: String
  let generation: Int

  init(_ sample: Sample) { (run, generation) = (sample.run, sample.generation) }

  static func < (left: ProcessKey, right: ProcessKey) -> Bool {
    left.run != right.run ? left.run < right.run : left.generation < right.generation
  }
}

/// A contender's values in a scenario by round. Most rounds have one value.
struct TurnValues: Sendable {
  /// The round of each value, in order. A round with several values appears several times.
  private let turns: [RoundKey]
  private let values: [Double]

  /// Drops values of 0 and below, which have no logarithm. If `other` has the same rounds, both share one list of rounds, to save memory.
  init(_ samples: SampleSelection, beside other: TurnValues? = nil, _ measure: (Sample) -> Double?) {
    let known = samples.compactMap { sample in
      measure(sample).flatMap { $0 > 0 ? (turn: RoundKey(sample), value: $0) : nil }
    }
    let areInOrder = zip(known, known.dropFirst()).allSatisfy { $0.turn <= $1.turn }
    let sorted = areInOrder ? known : known.sorted { $0.turn < $1.turn }
    let turns = sorted.map(\.turn)
    self.turns = other.flatMap { $0.turns == turns ? $0.turns : nil } ?? turns
    values = sorted.map(\.value)
  }

  var keys: [RoundKey] { turns.indices.filter { $0 == 0 || turns[$0 - 1] != turns[$0] }.map { turns[$0] } }

  subscript(turn: RoundKey) -> [Double]? {
    var (low, high) = (0, turns.count)
    while low < high {
      let middle = (low + high) / 2
      if turns[middle] < turn { low = middle + 1 } else { high = middle }
    }
    let end = turns[low...].firstIndex { $0 != turn } ?? turns.count
    return low < end ? Array(values[low..<end]) : nil
  }

  /// The rounds that both contenders have, in order, each with the geometric mean of each contender's values.
  func paired(with other: TurnValues) -> [(turn: RoundKey, mine: Double, others: Double)] {
    var pairs: [(turn: RoundKey, mine: Double, others: Double)] = []
    var (here, there) = (0, 0)
    while here < turns.count, there < other.turns.count {
      let turn = turns[here]
      if turn < other.turns[there] {
        here += 1
      } else if other.turns[there] < turn {
        there += 1
      } else {
        pairs.append((turn, mean(of: turn, at: &here), other.mean(of: turn, at: &there)))
      }
    }
    return pairs
  }

  var processMedians: [(process: ProcessKey, median: Double)] {
    var (medians, start): ([(process: ProcessKey, median: Double)], Int) = ([], 0)
    for end in 1..<max(1, turns.count + 1)
    where end == turns.count || turns[end].process != turns[start].process {
      Quantiles.median(of: Array(values[start..<end])).map { medians.append((turns[start].process, $0)) }
      start = end
    }
    return medians
  }

  private func mean(of turn: RoundKey, at place: inout Int) -> Double {
    let start = place
    repeat { place += 1 } while place < turns.count && turns[place] == turn
    return place == start + 1 ? values[start] : LogRatio.geometricMean(Array(values[start..<place]))
  }
}

/// The samples of a contender in a scenario: all of them, and those that statistics use.
final class CellSamples: Sendable {
  let key: CellKey
  /// The samples in the order they were taken; never empty.
  let all: SampleSelection
  /// The worst result of any sample, such as a failure. Dropped samples count: a wrong result is wrong even during warm-up.
  let outcome: Outcome
  /// The samples that were measured and not dropped. All statistics use only these.
  let counted: SampleSelection
  /// The wall times in nanoseconds per job, by round.
  let wallNanosecondsByTurn: TurnValues
  let processorNanosecondsByTurn: TurnValues
  /// The generations of worker processes that have counted samples, in order.
  let processes: [ProcessKey]
  let processMedians: [Double]

  init(key: CellKey, samples: SampleSelection) {
    self.key = key
    all = samples
    outcome = .worst(samples.map(\.outcome))
    counted = samples.only { $0.outcome == .measured && $0.dropped == nil }
    wallNanosecondsByTurn = TurnValues(counted, \.wall)
    processorNanosecondsByTurn = TurnValues(counted, beside: wallNanosecondsByTurn, \.cpuNanoseconds)
    let medians = wallNanosecondsByTurn.processMedians
    (processes, processMedians) = (medians.map(\.process), medians.map(\.median))
  }

  /// Whether the contender may be compared and ranked.
  var isRankable: Bool { outcome == .measured && !counted.isEmpty && !isExternalBaseline }

  var isExternalBaseline: Bool { ExternalBaseline.contains(key.contender) }

  var wallNanoseconds: [Double] { counted.compactMap(\.wallNanoseconds).map(Double.init) }
}

extension Collection<CellSamples> {
  /// The samples by contender and scenario, in the order of their first measurement.
  var inOrder: [CellSamples] { sorted { $0.all.firstPlace < $1.all.firstPlace } }

  /// The largest number of generations of worker processes in any scenario.
  var generations: Int {
    grouped(by: \.key.place).values.map { Set($0.flatMap(\.processes)).count }.max() ?? 0
  }
}

/// Predicts the median time of another run on the same machine from the medians of processes, because samples of a process correlate.
enum ProcessInterval {
  /// The 95 % interval of the median of a run with as many processes, by Student's t of the logarithms; `nil` for too few processes.
  static func of(_ medians: [Double]) -> ClosedRange<Double>? {
    guard medians.count >= AnalysisOptions.fewestProcesses, medians.allSatisfy({ $0 > 0 }),
      let mean = TrimmedMean(of: medians.map { LogRatio.of($0, to: 1) })
    else { return nil }
    // Both this run and the other run vary, which widens the interval by the square root of 2.
    let reach = (mean.interval(level: Comparison.level).upperBound - mean.mean) * 2.0.squareRoot()
    return LogRatio.ratio(mean.mean - reach)...LogRatio.ratio(mean.mean + reach)
  }
}

extension CellSummary {
  /// Summarises a contender's own samples, without a comparison.
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
      // The median is computed from samples and the interval from processes, so the median could lie outside.
      medianLowNanoseconds = min(interval.lowerBound, median)
      medianHighNanoseconds = max(interval.upperBound, median)
    }
    // With fewer values, a high quantile would be practically the maximum.
    p90Nanoseconds = walls.count >= 10 ? Quantiles.quantile(0.9, of: walls) : nil
    p99Nanoseconds = walls.count >= 100 ? Quantiles.quantile(0.99, of: walls) : nil
    nanosecondsPerUpload = medianNanoseconds.map { $0 / uploadsPerPost }
    // The throughput is known only if a post was created and the service read all of its bytes.
    if service == "file", fanOut > 0, payloadBytes > 0, ScenarioEnd.inferred(from: [first]) == .post {
      bytesPerSecond = medianNanoseconds.map { uploadsPerPost * Double(payloadBytes) / $0 * 1e9 }
    }
    setCounts(cell)
  }

  /// A count that is equal in all samples is exact; others have a range. Both are unknown if fewer than two processes counted.
  private mutating func setCounts(_ cell: CellSamples) {
    let counted = ExactCounts.countable.compactMap {
      name, count -> (entry: CountRanges.Entry, isExact: Bool)? in
      let samples = cell.counted.only { count($0) != nil }
      guard let first = samples.first,
        samples.contains(where: { ProcessKey($0) != ProcessKey(first) })
      else { return nil }
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

  /// Scales all times so that the median is `nanoseconds`, the reference's median times the ratio. The contender's own median differs,
  /// because the ratio uses only rounds that both contenders have.
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

  /// The number of uploads by which a job's time is divided; 1 for a job without uploads.
  var uploadsPerPost: Double { Double(max(fanOut, 1)) }
}
