import Results
import Statistics

/// What the analysis cannot read from the samples.
public struct AnalysisOptions: Sendable {
  /// The contender of ratios and overheads, unless ``references`` names another.
  public var reference: String
  /// By scenario name.
  public var references: [String: String] = [:]
  /// The chance of any false verdict on time in the whole report; the same for processor time.
  public var familyWiseError = 0.05
  /// The largest ratio without a difference, as a share above 1: from 1 ÷ (1 + margin) to 1 + margin.
  public var equivalenceMargin = 0.05
  /// A scenario that lost more than this share of its samples is noisy.
  public var mostDisturbedShare = defaultMostDisturbedShare
  /// The number of draws for the probabilities of ranks.
  public var rankResamples = 2_000
  /// The planned cells; nil: every contender × every scenario of the samples. Their machines count if the samples have several.
  public var plannedCells: [CellKey]?
  /// How each scenario ends, by name; else inferred from its samples.
  public var ends: [String: ScenarioEnd] = [:]
  /// The subjects of scenarios that upload nothing, by name.
  public var subjects: [String: ScenarioSubject] = [:]
  /// The class of work of each scenario, by name; else inferred from its samples.
  public var classes: [String: ScenarioClass] = [:]
  /// Where completions run in a scenario, by name.
  public var contexts: [String: String] = [:]
  /// Each contender's idiom, by the contender's name.
  public var idioms: [String: IdiomRecord] = [:]
  /// Lines of code by contender and pattern.
  public var sourceLines: [String: [String: Int]] = [:]

  public static let defaultMostDisturbedShare = 0.3

  /// The share of the family-wise error for `faster` and `slower`; the rest is for `equivalent`. To prove processor times and waiting
  /// uploads equal takes more rounds than any difference.
  static let differenceShare = 0.5

  /// Fewer generations do not show how they differ.
  static let fewestProcesses = 4

  /// A decided cell with a narrower interval, as a log-ratio, leaves the time to others: five per cent either way.
  static let settledWidth = 0.1
  /// A cell with a narrower interval needs no rounds at all.
  static let narrowestWidth = 0.002

  /// A cell that needs more than this many times its rounds is not preferred.
  static let hopefulFactor = 4
  /// Cells decided within this many times the shortest time are measured next.
  static let nearFactor = 4.0

  /// A sample's time besides its posts: the request, posts that are not timed, the check. It was 1.5 to 5 ms on two virtual
  /// processors.
  static let aroundSampleNanoseconds = 3_000_000.0

  /// The chance of a verdict after the estimated rounds.
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
  /// The options that a run's record contains.
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
  /// Records the options of each scenario, so that the files alone can be judged again.
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
