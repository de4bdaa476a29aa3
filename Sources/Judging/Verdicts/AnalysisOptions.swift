import Results
import Statistics

/// What the samples themselves do not say.
public struct AnalysisOptions: Sendable {
  /// The contender that overheads and ratios are taken against, unless ``references`` names another.
  public var reference: String
  /// By scenario name.
  public var references: [String: String] = [:]
  /// The chance that any verdict on time is a false one, in the whole report; the same for processor time.
  public var familyWiseError = 0.05
  /// How far a ratio may be from 1, as a share of it, to make no difference: from 1 ÷ (1 + margin) to 1 + margin.
  public var equivalenceMargin = 0.05
  /// A scenario that lost more than this share of its rounds to disturbance is marked as noisy.
  public var mostDisturbedShare = defaultMostDisturbedShare
  /// How often rounds are drawn for the probabilities of ranks.
  public var rankResamples = 2_000
  /// The cells that were planned, to tell which are missing; nil: every contender seen × every scenario seen. A machine
  /// that they name counts where the samples are of several.
  public var plannedCells: [CellKey]?
  /// How each scenario ends, by name; one that is not listed is inferred from its samples.
  public var ends: [String: ScenarioEnd] = [:]
  /// What scenarios are about that are no uploads, by name.
  public var subjects: [String: ScenarioSubject] = [:]
  /// Where the time of each scenario goes, by name; one that is not listed is inferred from its samples.
  public var classes: [String: ScenarioClass] = [:]
  /// Where completions run in each scenario that says so, by name.
  public var contexts: [String: String] = [:]
  /// What each contender is to its users, by its name.
  public var idioms: [String: IdiomRecord] = [:]
  /// Lines of code by contender and pattern.
  public var sourceLines: [String: [String: Int]] = [:]

  public static let defaultMostDisturbedShare = 0.3

  /// How much of the family-wise error is for `faster` and `slower`; the rest is for `equivalent`.
  ///
  /// Of processor times and of uploads that wait most are nearly the same: to prove that takes more rounds than any difference.
  static let differenceShare = 0.5

  /// With fewer generations their means say little of how they differ.
  static let fewestProcesses = 4

  /// A cell that is decided leaves the time to others once its interval is this narrow, as a log-ratio: five per cent either way.
  static let settledWidth = 0.1
  /// Nor does any cell whose interval is narrower than this.
  static let narrowestWidth = 0.002

  /// A cell that would take more than so many times its rounds so far has no more than a fair share of them.
  static let hopefulFactor = 4
  /// Cells of which a decision takes up to so many times the shortest one's time are in turn with it.
  static let nearFactor = 4.0

  /// What a sample takes besides the time of its posts: to ask for it, posts that are not timed, to look at what was done. It was
  /// 1.5 to 5 ms on two virtual processors.
  static let aroundSampleNanoseconds = 3_000_000.0

  /// How probable a verdict is to be after the rounds that are said to bring it.
  static let resolvingPower = 0.8
  /// Estimates end here: who has that many rounds to spare has another machine.
  static let mostRoundsToResolve = 10_000

  public init(reference: String, _ change: (inout AnalysisOptions) -> Void = { _ in }) {
    self.reference = reference
    change(&self)
  }

  /// The cell that a cell is compared with; itself if it is the reference.
  func reference(of cell: CellKey) -> CellKey {
    CellKey(contender: references[cell.scenario] ?? reference, place: cell.place)
  }
}

extension AnalysisOptions {
  /// What a run's own record says of how it is to be judged.
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
  /// Says of each scenario what the analysis was told of it, so that the files alone can be judged again.
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
