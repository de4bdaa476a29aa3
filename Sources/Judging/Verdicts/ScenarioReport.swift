import Results

/// The report of one scenario.
public struct ScenarioReport: Sendable, Equatable {
  public let place: ScenarioKey
  public let pattern: String
  public let service: String
  public let fanOut: Int
  public let inFlightLimit: Int?
  public let end: ScenarioEnd
  /// The scenario's class of work; `nil` if unknown.
  public let workClass: ScenarioClass?
  /// The thread, queue or pool on which completions run. `nil` keeps each contender's default.
  public let context: String?
  /// What the scenario measures if it uploads nothing; `nil` means uploads, which pattern, service and fan-out describe.
  public let about: ScenarioSubject?
  /// The largest number of samples of a contender that statistics include.
  public let rounds: Int
  public let disturbance: ScenarioDisturbance
  /// The contenders' results, best rank first and unranked ones last.
  public let cells: [CellReport]
  /// The contenders without a sample in this scenario.
  public let missing: [String]

  public var name: String { place.scenario }
}

extension ScenarioReport {
  /// - Parameter cells: the samples of at least one contender.
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
    // A job without uploads belongs to no class of work.
    let known = fanOut == 0 ? .other : options.classes[first.scenario] ?? .inferred(from: first)
    workClass = end == .post ? known : .failing
    context = options.contexts[first.scenario]
    about = options.subjects[first.scenario]
    rounds = cells.map(\.counted.count).max() ?? 0
    self.missing = missing
    self.cells = reports.ordered {
      SortKey(
        numbers: [Double($0.summary.rankGroup ?? .max), $0.summary.medianNanoseconds ?? .infinity],
        last: $0.summary.contender)
    }
  }
}

/// How a scenario's job ends. The job's time is measured until that end.
public enum ScenarioEnd: String, Sendable, Hashable {
  case post, error, cancellation
  /// The job ends with an error or a cancellation; samples alone do not show which.
  case noPost = "no_post"

  /// `noPost` if no measured sample created a post, otherwise `post`.
  static func inferred(from samples: [Sample]) -> ScenarioEnd {
    let posts = samples.filter { $0.outcome == .measured }.compactMap(\.posts)
    return !posts.isEmpty && posts.allSatisfy { $0 == 0 } ? .noPost : .post
  }
}

/// Describes what a scenario measures that uploads nothing.
public struct ScenarioSubject: Sendable, Equatable {
  /// The text of the scenario's heading, one line.
  public var text: String
  /// The unit that times and counts are divided by, such as `element`.
  public var unit: String
  /// Whether reports show the process's peak memory divided by the units.
  public var showsMemory: Bool

  public init(text: String, unit: String, showsMemory: Bool = false) {
    self.text = text
    self.unit = unit
    self.showsMemory = showsMemory
  }
}

/// Counts the disturbed rounds of a scenario.
public struct ScenarioDisturbance: Sendable, Equatable {
  /// The number of rounds with a dropped sample, not counting the warm-up.
  public let disturbedRounds: Int
  /// Whether too many samples were dropped to trust the others.
  public let isNoisy: Bool
  private let lostShare: Double

  init(_ samples: [Sample], mostDisturbedShare: Double) {
    let taken = samples.filter { $0.dropped != .warmUp }
    disturbedRounds = Set(taken.filter { $0.dropped == .disturbed }.map(RoundKey.init)).count
    lostShare = Double(taken.count { $0.dropped == .disturbed }) / Double(max(1, taken.count))
    isNoisy = lostShare > mostDisturbedShare
  }

  /// A remark on the noise; `nil` if the scenario is not noisy.
  public var remark: String? {
    isNoisy ? "noisy: \(NumberText.percent(lostShare)) of the samples dropped" : nil
  }
}
