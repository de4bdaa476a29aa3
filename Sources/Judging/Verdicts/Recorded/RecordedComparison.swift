import Foundation
import Results
import Statistics

/// The changes between two recorded runs. Times are compared as ratios to a reference that both measured, so that the machine's speed
/// cancels; exact counts are compared directly.
public struct RecordedComparison: Sendable {
  public struct Terms: Sendable {
    /// The smallest change that matters, as a share: 0.25 is 25 %.
    public var margin: Double
    /// The contender that all ratios are relative to; `nil` means the base's own reference.
    public var reference: String?
    /// The contenders to compare; `nil` means all.
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
  /// The reference of most scenarios; ``reference(of:)`` returns the reference of each.
  public let reference: String
  private let named: String?
  /// The compared times, in the order of the base's scenarios.
  public private(set) var times: [CheckRow] = []
  /// The contenders that were measured in the base, but failed, timed out or were wrong in the candidate.
  public internal(set) var failed: [CheckRow] = []
  /// The compared counts: those that are exact (equal in every pass) in the base.
  public internal(set) var counts: [CheckRow] = []
  /// The ratios of the reference's own times, for each scenario in which both runs measured the reference.
  public private(set) var referenceRatios: [(place: ScenarioKey, ratio: Double)] = []
  /// The number of counts of the base that are not exact and therefore decide nothing.
  public internal(set) var varyingCounts = 0
  /// The number of exact counts of the base that the candidate did not count, or counted in too few passes.
  public internal(set) var uncounted = 0
  public internal(set) var notCompared: [NotCompared] = []
  public private(set) var differences: [RunDifference] = []
  /// The variation between runs, as a multiple of the spread of their processes.
  public private(set) var betweenRuns = 0.0

  var changes: [RecordedChange] = []

  /// Throws an error if nothing can be compared.
  public init(base: RecordedRun, candidate: RecordedRun, _ terms: Terms) throws(RecordedProblem) {
    try Self.check(base, candidate)
    let (base, renamed) = RecordedRun.shortlyNamed(base, candidate)
    let candidate = renamed.called(as: base)
    guard let reference = terms.reference ?? base.environment.reference else {
      throw RecordedProblem(
        "\(base.name) does not name the contender that it compares with: give --reference NAME.")
    }
    guard base.contenders.contains(reference) || candidate.contenders.contains(reference) else {
      throw RecordedProblem(
        "\(base.name) compares with \(SafeText.neutralised(reference)), but neither run measured that contender: give --reference NAME."
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
    // If both runs measured only the reference, the reference's own time can still be compared.
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

  /// A remark if all contenders of a scenario changed alike. Then probably the reference changed, in the other direction.
  private func shift(_ place: ScenarioKey) -> RunDifference? {
    let changes = times.filter { $0.key.place == place }.compactMap(\.numbers.ratio).map { log($0) }
    guard changes.count > 2, let median = Quantiles.median(of: changes), abs(median) > log1p(margin),
      changes.allSatisfy({ ($0 > 0) == (median > 0) })
    else { return nil }
    return RunDifference(
      "All \(changes.count) contenders in \(place) changed in the same direction, by \(CheckReport.percent(exp(median) - 1, isSigned: true)) in the median, so probably their reference \(reference(of: place).contender) changed instead.",
      isDoubt: true)
  }

  private static func check(_ base: RecordedRun, _ candidate: RecordedRun) throws(RecordedProblem) {
    for run in [base, candidate] where run.cells.isEmpty {
      throw RecordedProblem(
        "\(run.name) holds no sample: its run ended before the first one. Record it again.")
    }
    let (old, new) = (base.environment, candidate.environment)
    guard old.buildConfiguration == new.buildConfiguration else {
      throw RecordedProblem(
        "\(base.name) was recorded by a \(SafeText.neutralised(old.buildConfiguration)) build and \(candidate.name) by a \(SafeText.neutralised(new.buildConfiguration)) build, so their times are not comparable. Record one of them again."
      )
    }
    if let problem = base.contractProblem(beside: new.contract, of: candidate.name) { throw problem }
    guard old.seed == new.seed else {
      throw RecordedProblem(
        "\(base.name) was recorded with seed \(old.seed) and \(candidate.name) with seed \(new.seed), so latencies, bytes and faults differ. Record one of them again with --seed."
      )
    }
  }
}

extension RecordedRun {
  /// Why this run cannot be compared with one whose contenders do the work of the contract edition `other`; `nil` if it can.
  public func contractProblem(beside other: Int?, of name: String) -> RecordedProblem? {
    let own = environment.contract
    guard own != other else { return nil }
    let older = (own ?? 1) < (other ?? 1) ? self.name : name
    return RecordedProblem(
      "\(self.name) was recorded with edition \(own ?? 1) of the contenders' contract and \(name) with edition \(other ?? 1), so their contenders do different work. Record \(older) again."
    )
  }
}

/// The reason why two recorded runs cannot be compared at all, and what the user can do.
public struct RecordedProblem: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

extension RecordedRun: CustomStringConvertible {
  /// The run's path, commit, date and number of generations, in one line.
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
