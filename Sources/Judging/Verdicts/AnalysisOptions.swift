import Results
import Statistics

/// Settings and facts that the analysis needs in addition to the samples.
public struct AnalysisOptions: Sendable {
  /// The contender that others are compared with, unless ``references`` names another one for a scenario.
  public var reference: String
  /// The references of scenarios that have their own reference, by the scenario's name.
  public var references: [String: String] = [:]
  /// The probability of one or more false verdicts on time in the whole report. Processor time has the same probability.
  public var familyWiseError = 0.05
  /// How far from 1 a ratio may be and still be equivalent: from 1 ÷ (1 + margin) to 1 + margin.
  public var equivalenceMargin = 0.05
  /// A scenario is noisy if more than this share of its samples was dropped.
  public var mostDisturbedShare = defaultMostDisturbedShare
  /// The number of random draws for the probabilities of ranks.
  public var rankResamples = 2_000
  /// The contenders that the run planned to measure, each in a scenario; `nil` means every contender in every scenario of the samples.
  public var plannedCells: [CellKey]?
  /// How a job of each scenario ends, such as with an error, by the scenario's name. A missing entry is inferred from the samples.
  public var ends: [String: ScenarioEnd] = [:]
  /// What each scenario that uploads nothing measures instead, by the scenario's name.
  public var subjects: [String: ScenarioSubject] = [:]
  /// The class of work of each scenario, by the scenario's name. A missing entry is inferred from the samples.
  public var classes: [String: ScenarioClass] = [:]
  /// The thread, queue or pool on which completions run, by the scenario's name.
  public var contexts: [String: String] = [:]
  /// Each contender's idiom (its concurrency API and where that comes from), by the contender's name.
  public var idioms: [String: IdiomRecord] = [:]
  /// The number of lines of code, by contender and pattern.
  public var sourceLines: [String: [String: Int]] = [:]

  public static let defaultMostDisturbedShare = 0.3

  /// The share of ``familyWiseError`` for proofs of a difference. The rest is for proofs of equivalence, which need more samples.
  static let differenceShare = 0.5

  /// The fewest worker processes of a contender from which differences between processes are estimated.
  static let fewestProcesses = 4

  /// While others are undecided, a decided comparison is not measured if its interval is narrower than this: ±5 %, as a log-ratio.
  static let settledWidth = 0.1
  /// A decided comparison is not measured further if its interval is narrower than this, as a log-ratio.
  static let narrowestWidth = 0.002

  /// An undecided comparison has priority if a verdict needs, by estimate, at most this many times as many samples as were taken.
  static let hopefulFactor = 4
  /// An undecided comparison is measured next if its estimated time to a verdict is at most this factor times the shortest such time.
  static let nearFactor = 4.0

  /// The time that a sample takes beyond its timed jobs, for example to check results: 1.5 to 5 ms on two virtual processors.
  static let aroundSampleNanoseconds = 3_000_000.0

  /// The probability that the estimated number of rounds is enough for a verdict.
  static let resolvingPower = 0.8
  static let mostRoundsToResolve = 10_000

  public init(reference: String, _ change: (inout AnalysisOptions) -> Void = { _ in }) {
    self.reference = reference
    change(&self)
  }

  func reference(of cell: CellKey) -> CellKey {
    CellKey(contender: references[cell.scenario] ?? reference, place: cell.place)
  }
}

extension AnalysisOptions {
  /// Reads the options from the record of a run.
  public init(
    _ environment: EnvironmentRecord, plannedCells: [CellKey], sourceLines: [String: [String: Int]]
  ) {
    let scenarios = environment.scenarios ?? [:]
    self.init(reference: environment.reference ?? "")
    self.plannedCells = plannedCells
    self.sourceLines = sourceLines
    references = scenarios.compactMapValues(\.reference)
    ends = scenarios.compactMapValues { $0.endsWith.flatMap(ScenarioEnd.init) }
    subjects = scenarios.compactMapValues(ScenarioSubject.init)
    classes = scenarios.compactMapValues { $0.class.flatMap(ScenarioClass.init) }
    contexts = scenarios.compactMapValues { $0.definition["context"] }
    idioms = environment.idioms ?? [:]
  }
}

extension ScenarioSubject {
  fileprivate init?(_ record: ScenarioRecord) {
    guard let subject = record.subject, let unit = record.unit else { return nil }
    self.init(text: subject, unit: unit, showsMemory: record.showsMemory ?? false)
  }
}

extension EnvironmentRecord {
  /// Records the options of each scenario, so that the run can be analysed again from its files alone.
  public mutating func note(_ options: AnalysisOptions) {
    for name in (scenarios ?? [:]).keys {
      scenarios?[name]?.reference = options.references[name]
      scenarios?[name]?.endsWith = options.ends[name]?.rawValue
      scenarios?[name]?.subject = options.subjects[name]?.text
      scenarios?[name]?.class = options.classes[name]?.rawValue
      scenarios?[name]?.unit = options.subjects[name]?.unit
      scenarios?[name]?.showsMemory = options.subjects[name]?.showsMemory == true ? true : nil
    }
  }
}
