import Results

/// What a run says about one scenario.
public struct ScenarioReport: Sendable, Equatable {
  public let place: ScenarioKey
  public let pattern: String
  public let service: String
  public let fanOut: Int
  public let inFlightLimit: Int?
  public let end: ScenarioEnd
  /// Where its time goes; nil: unknown.
  public let workClass: ScenarioClass?
  /// Where completions run; nil: where each contender's users have them.
  public let context: String?
  /// What it is about; nil: uploads, as pattern, service and fan-out say.
  public let about: ScenarioSubject?
  /// Rounds that count, at least for some contender.
  public let rounds: Int
  public let disturbance: ScenarioDisturbance
  /// Best rank first; what is not ranked comes last.
  public let cells: [CellReport]
  /// Contenders of the run that have no sample here.
  public let missing: [String]

  public var name: String { place.scenario }
}

extension ScenarioReport {
  /// - Parameter cells: the scenario's cells that have samples; at least one.
  init(
    _ place: ScenarioKey, cells: [CellSamples], run: String, comparisons: CellComparisons,
    missing: [String], options: AnalysisOptions
  ) {
    let samples = cells.flatMap(\.all)
    let first = samples[0]
    let disturbance = ScenarioDisturbance(samples, mostDisturbedShare: options.mostDisturbedShare)
    let ranks = RankGroups(cells: cells, comparisons: comparisons.time, options: options)
    let resampling = RankResampling(cells: cells, resamples: options.rankResamples)
    let driver = cells.first { $0.key.contender == ExternalBaseline.service && $0.outcome == .measured }
    let reference = cells.first { $0.key == options.reference(of: $0.key) && $0.isRankable }
      .map { CellSummary($0, run: run) }
    let reports = cells.map { cell in
      CellReport(
        cell, run: run, comparison: comparisons.time[cell.key],
        processor: comparisons.processor[cell.key], reference: reference, service: driver,
        rankGroup: ranks.group[cell.key],
        rankProbabilities: resampling.probabilities[cell.key], disturbance: disturbance, options: options)
    }
    self.disturbance = disturbance
    self.place = place
    pattern = first.pattern
    service = first.service
    fanOut = first.fanOut
    inFlightLimit = first.inFlightLimit
    end = options.ends[first.scenario] ?? .inferred(from: samples)
    workClass = end == .post ? options.classes[first.scenario] ?? .inferred(from: first) : .failing
    context = options.contexts[first.scenario]
    about = options.subjects[first.scenario]
    rounds = cells.map(\.counted.count).max() ?? 0
    self.missing = missing
    self.cells = reports.ordered { Self.sortKey($0.summary) }
  }

  private static func sortKey(_ summary: CellSummary) -> SortKey {
    SortKey(
      numbers: [Double(summary.rankGroup ?? .max), summary.medianNanoseconds ?? .infinity],
      last: summary.contender)
  }
}

/// What a scenario's time is the time to.
public enum ScenarioEnd: String, Sendable, Hashable {
  case post
  case error
  case cancellation
  /// An error or a cancellation; the samples alone do not tell which.
  case noPost = "no_post"

  /// What the samples tell: a scenario whose measured samples created no post is meant to end without one.
  static func inferred(from samples: [Sample]) -> ScenarioEnd {
    let posts = samples.filter { $0.outcome == .measured }.compactMap(\.posts)
    return !posts.isEmpty && posts.allSatisfy { $0 == 0 } ? .noPost : .post
  }
}

/// What a scenario is about, where its samples do not tell.
public struct ScenarioSubject: Sendable, Equatable {
  /// One line for the scenario's heading.
  public var text: String
  /// What its times and counts are per, such as `element`.
  public var unit: String
  /// Whether memory is among its figures: the process's peak, shared out over the units.
  public var showsMemory: Bool

  public init(text: String, unit: String, showsMemory: Bool = false) {
    self.text = text
    self.unit = unit
    self.showsMemory = showsMemory
  }
}

/// How many of a scenario's rounds were disturbed from outside.
public struct ScenarioDisturbance: Sendable, Equatable {
  /// All that were taken, warm-up aside.
  public let rounds: Int
  /// Those of which a sample was dropped, or all.
  public let disturbedRounds: Int
  /// Whether so many were dropped that the others deserve a doubt: the machine was hardly ever its own.
  public let isNoisy: Bool
  /// How much of the samples was dropped.
  private let lostShare: Double

  init(_ samples: [Sample], mostDisturbedShare: Double) {
    let taken = samples.filter { $0.dropped != .warmUp }
    let disturbed = Set(taken.filter { $0.dropped == .disturbed }.map(RoundKey.init)).count
    rounds = Set(taken.map(RoundKey.init)).count
    disturbedRounds = disturbed
    lostShare = Double(taken.count { $0.dropped == .disturbed }) / Double(max(1, taken.count))
    isNoisy = lostShare > mostDisturbedShare
  }

  /// What to doubt; nil if nothing.
  public var remark: String? {
    isNoisy ? "noisy: \(NumberText.percent(lostShare)) of the samples dropped" : nil
  }
}
