import Foundation
import Results
import Statistics

/// The changes between two recorded runs.
///
/// Times are compared as ratios to the reference, which both ran, so that a machine's speed cancels. Exact counts are compared as they
/// are.
public struct RecordedComparison: Sendable {
  public struct Terms: Sendable {
    /// The smallest change that matters, as a share of 1.
    public var margin: Double
    /// The contender of all ratios; nil: the base's own reference.
    public var reference: String?
    /// Only these; nil: all.
    public var contenders: Set<String>?
    public var scenarios: Set<String>?

    public init(
      margin: Double, reference: String? = nil, contenders: Set<String>? = nil,
      scenarios: Set<String>? = nil
    ) {
      self.margin = margin
      self.reference = reference
      self.contenders = contenders
      self.scenarios = scenarios
    }
  }

  public let base: RecordedRun
  public let candidate: RecordedRun
  public let margin: Double
  /// The reference of most ratios; ``reference(of:)`` has all.
  public let reference: String
  private let named: String?
  /// The cells whose times both runs have, in the order of the base's scenarios.
  public private(set) var times: [CheckRow] = []
  /// Measured in the base; failed, timed out or wrong in the candidate.
  public internal(set) var failed: [CheckRow] = []
  /// Counts that are exact in the base.
  public internal(set) var counts: [CheckRow] = []
  /// The ratios of the reference's own times, where both runs have it.
  public private(set) var referenceRatios: [(place: ScenarioKey, ratio: Double)] = []
  /// How many counts of the base are not exact, and decide nothing.
  public internal(set) var varyingCounts = 0
  /// How many exact counts of the base the candidate did not take, or too seldom.
  public internal(set) var uncounted = 0
  public internal(set) var notCompared: [NotCompared] = []
  public private(set) var differences: [RunDifference] = []
  /// The variation between runs, as a multiple of their processes' spread.
  public private(set) var betweenRuns = 0.0

  var changes: [RecordedChange] = []

  /// Throws if nothing can be compared.
  public init(base: RecordedRun, candidate: RecordedRun, _ terms: Terms) throws(RecordedProblem) {
    try Self.check(base, candidate)
    let (base, renamed) = RecordedRun.shortlyNamed(base, candidate)
    let candidate = renamed.called(as: base)
    guard let reference = terms.reference ?? base.environment.reference else {
      throw RecordedProblem(
        "\(base.name) does not say what its ratios were taken against: give --reference NAME.")
    }
    guard base.contenders.contains(reference) || candidate.contenders.contains(reference) else {
      throw RecordedProblem(
        "\(base.name) was reported against \(SafeText.neutralised(reference)), which neither run measured: give --reference NAME."
      )
    }
    (self.base, self.candidate, self.reference, margin) = (base, candidate, reference, terms.margin)
    named = terms.reference
    for key in base.keys + candidate.keys.filter({ base.cells[$0] == nil })
    where terms.contenders?.contains(key.contender) ?? true && terms.scenarios?.contains(key.scenario) ?? true
    {
      pair(key)
    }
    let left = Set(notCompared.map(\.key))
    referenceRatios = (base.places + candidate.places).unique().compactMap { place in
      let key = self.reference(of: place)
      return left.contains(key) ? nil : referenceRatio(key).map { (place, $0) }
    }
    // A benchmark of the reference alone still has its own time.
    guard !(counts.isEmpty && failed.isEmpty && referenceRatios.isEmpty) else {
      throw RecordedProblem(
        "\(candidate.name) and \(base.name) have nothing that can be compared: \(NotCompared.sentences(notCompared).prefix(3).joined(separator: " "))"
      )
    }
    betweenRuns = RecordedChange.betweenRuns(changes)
    times = CheckRow.family(changes, betweenRuns: betweenRuns, margin: margin)
    differences = RunDifference.between(base, candidate) + times.map(\.key.place).unique().compactMap(shift)
  }

  func reference(of place: ScenarioKey) -> CellKey {
    CellKey(contender: named ?? base.environment.reference(of: place.scenario) ?? reference, place: place)
  }

  /// Whether all cells of a place moved alike: then the reference moved the other way.
  private func shift(_ place: ScenarioKey) -> RunDifference? {
    let changes = times.filter { $0.key.place == place }.compactMap(\.numbers.ratio).map { log($0) }
    guard changes.count > 2, let median = Quantiles.median(of: changes), abs(median) > log1p(margin),
      changes.allSatisfy({ ($0 > 0) == (median > 0) })
    else { return nil }
    return RunDifference(
      "All \(changes.count) cells of \(place) moved the same way, by \(CheckReport.percent(exp(median) - 1, isSigned: true)): rather \(reference(of: place).contender) moved than all of them.",
      isDoubt: true)
  }

  private static func check(_ base: RecordedRun, _ candidate: RecordedRun) throws(RecordedProblem) {
    for run in [base, candidate] where run.cells.isEmpty {
      throw RecordedProblem("\(run.name) holds no sample: its run ended before the first one.")
    }
    let (old, new) = (base.environment, candidate.environment)
    guard old.buildConfiguration == new.buildConfiguration else {
      throw RecordedProblem(
        "\(base.name) was recorded by a \(SafeText.neutralised(old.buildConfiguration)) build and \(candidate.name) by a \(SafeText.neutralised(new.buildConfiguration)) build: their times have nothing to do with each other."
      )
    }
    if let problem = base.contractProblem(beside: new.contract, of: candidate.name) { throw problem }
    guard old.seed == new.seed else {
      throw RecordedProblem(
        "\(base.name) was recorded with seed \(old.seed) and \(candidate.name) with seed \(new.seed): other latencies, other bytes, other faults. Record one of them again with --seed."
      )
    }
  }
}

extension RecordedRun {
  /// Why it cannot be compared with a run of this edition of the contenders' contract; nil: it can.
  public func contractProblem(beside other: Int?, of name: String) -> RecordedProblem? {
    let own = environment.contract
    guard own != other else { return nil }
    let older = (own ?? 1) < (other ?? 1) ? self.name : name
    return RecordedProblem(
      "\(self.name) was recorded under contract \(own ?? 1) and \(name) under contract \(other ?? 1): their contenders do different work. Nothing is compared; record \(older) again."
    )
  }
}

/// Why two recorded runs cannot be compared at all, and what to do.
public struct RecordedProblem: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

extension RecordedRun: CustomStringConvertible {
  /// Its path, commit, date and generations, in one line.
  public var description: String {
    let commit = environment.commit.map {
      "commit \(SafeText.neutralised(String($0.prefix(12))))"
        + (environment.isDirty == true ? " + changes" : "")
    }
    return
      ([
        path, commit ?? "no commit",
        environment.startedAt.formatted(.iso8601).prefix(16).replacing("T", with: " ") + " UTC",
      ]
      + [Plural.counted(cells.values.generations, "generation")]).joined(separator: ", ")
  }
}
