import Foundation
import Results
import Statistics

/// What changed between two recorded runs.
///
/// Times are compared through a contender that both ran, the reference: each cell's ratio to it in the one run against
/// its ratio in the other, so that another machine's speed cancels. Counts that are exact are compared as they are.
public struct RecordedComparison: Sendable {
  public struct Terms: Sendable {
    /// The smallest change that matters, as a share of 1.
    public var margin: Double
    /// What ratios are taken through; nil: what the base's run was reported against.
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
  public let reference: String
  public private(set) var scenarios: [RecordedScenario] = []
  /// The cells of either run that were asked for.
  public internal(set) var keys: [CellKey] = []
  /// Counts that are not exact in both runs and decide nothing: the ratio of their medians.
  public internal(set) var varyingCounts: [Double] = []
  /// How many exact counts of the base were not taken in the candidate.
  public internal(set) var uncounted = 0
  public internal(set) var notCompared: [NotCompared] = []
  public private(set) var differences: [RunDifference] = []
  /// What each run adds to what its processes show, as a multiple of their spread.
  public private(set) var betweenRuns = 0.0

  var changes: [RecordedChange] = []
  var counts: [CheckRow] = []
  /// Measured in the base, and failed, hung or wrong in the candidate.
  var failed: [CheckRow] = []
  /// Whether anything stands in both runs, even if the processes were too few to compare it.
  var hasCommon = false

  /// Throws where nothing can be compared.
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
    for key in base.keys + candidate.keys.filter({ base.cells[$0] == nil })
    where terms.contenders?.contains(key.contender) ?? true
      && terms.scenarios?.contains(key.scenario) ?? true
    {
      add(key)
    }
    // Of a benchmark that only the reference does, its own time is all there is to tell.
    let left = Set(notCompared.map(\.key))
    let alone = keys.grouped(by: \.place).filter { place, keys in
      keys.map(\.contender) == [reference] && !left.contains(keys[0]) && referenceRatio(place) != nil
    }
    guard hasCommon || !alone.isEmpty else {
      let why = NotCompared.sentences(notCompared, of: keys)
      throw RecordedProblem(
        "\(candidate.name) and \(base.name) have nothing that can be compared"
          + (why.isEmpty ? "." : ": \(why.prefix(3).joined(separator: " "))"))
    }
    betweenRuns = RecordedChange.betweenRuns(changes)
    let cells = CheckRow.family(changes, betweenRuns: betweenRuns, margin: margin)
    scenarios = keys.map(\.place).grouped().map { place in
      RecordedScenario(
        place: place, cells: cells.filter { $0.key.place == place },
        failed: failed.filter { $0.key.place == place }, counts: counts.filter { $0.key.place == place },
        reference: reference, referenceRatio: referenceRatio(place))
    }.filter { !$0.cells.isEmpty || !$0.failed.isEmpty || !$0.counts.isEmpty || alone[$0.place] != nil }
    differences = RunDifference.between(base, candidate) + scenarios.compactMap { $0.shift(terms.margin) }
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
  /// Why the run cannot be compared with one of this edition of the contenders' contract; nil: it can.
  public func contractProblem(beside other: Int?, of name: String) -> RecordedProblem? {
    let own = environment.contract
    guard own != other else { return nil }
    let older = (own ?? 1) < (other ?? 1) ? self.name : name
    return RecordedProblem(
      "\(self.name) was recorded under contract \(own ?? 1) and \(name) under contract \(other ?? 1): their contenders do different work. Nothing is compared; record \(older) again."
    )
  }
}

/// What became of one scenario.
public struct RecordedScenario: Sendable {
  public let place: ScenarioKey
  public let cells: [CheckRow]
  public let failed: [CheckRow]
  public let counts: [CheckRow]
  public let reference: String
  /// The reference's own time in the candidate's run, of that in the base's: machine and code together, which no
  /// recorded run can tell apart.
  public let referenceRatio: Double?

  /// Such as `publish-instant-100`, with its machine where there are several.
  var name: String { place.description }

  /// That all cells moved as one: then it is rather the reference that moved, the other way.
  func shift(_ margin: Double) -> RunDifference? {
    let changes = cells.compactMap(\.numbers.ratio).map { log($0) }
    guard changes.count > 2, let median = Quantiles.median(of: changes), abs(median) > log1p(margin),
      changes.allSatisfy({ ($0 > 0) == (median > 0) })
    else { return nil }
    return RunDifference(
      "All \(changes.count) cells of \(name) moved the same way, by \(CheckReport.percent(exp(median) - 1, isSigned: true)): rather \(reference) moved than all of them.",
      isDoubt: true)
  }
}

/// Why two recorded runs cannot be compared at all: which, and what to do.
public struct RecordedProblem: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

extension RecordedComparison {
  /// What changed, scenario by scenario; a page shows it as the check that the comparison amounts to.
  public var document: Document {
    let report = CheckReport(self, isGate: false)
    let page = report.document
    let sides = [("base", base.description), ("candidate", candidate.description)]
    let left = NotCompared.sentences(notCompared, of: keys)
    return Document(
      title: page.title,
      [
        .only(.page, page.blocks),
        .only(
          .terminal,
          [.paragraphs([report.headline]), .terms(sides)] + scenarios.map { .table($0.table) } + [
            .list(left, title: "Not compared"),
            .list(sameRun + differences.map(\.text), title: "Mind"),
            .list(reading, title: "How to read"),
          ]),
      ]
    ).marked(idioms)
  }

  /// Who ships each contender, as the candidate's record says, or else the base's.
  var idioms: [String: IdiomRecord] {
    (candidate.environment.idioms ?? [:]).merging(base.environment.idioms ?? [:]) { known, _ in known }
  }

  public func json() throws -> String { try CheckReport(self, isGate: false).json() }
}

extension RecordedScenario {
  fileprivate var table: Table {
    let itself = referenceRatio.map {
      " (\(reference) itself \(CheckReport.percent($0 - 1, isSigned: true)))"
    }
    // Exact counts are no ratios; those that did not change share one line.
    let changed = counts.filter { $0.state != .unchanged }
    let same = counts.count - changed.count
    return Table(
      title: name + (itself ?? ""),
      columns: [
        Table.Column("contender", 18, isLeft: true), Table.Column("base", 8), Table.Column("now", 8),
        Table.Column("change [interval]", 29, isLeft: true),
        Table.Column("", isLeft: true),
      ],
      rows: cells.map { Self.row($0, NumberText.ratio, change: $0.change) }
        + failed.map { Self.row($0, NumberText.ratio, change: "") } + changed.map(Self.count)
    ).with {
      $0.notes = same == 0 ? [] : [Plural.counted(same, "exact count") + ": unchanged"]
    }
  }

  private static func count(_ row: CheckRow) -> Table.Row {
    let quantity = (row.quantity ?? "").replacing(" per ", with: "/")
    func difference(_ now: Double) -> String {
      let difference = now - (row.numbers.base ?? 0)
      return (difference > 0 ? "+" : "") + NumberText.whole(difference)
    }
    // One that is no longer exact has a range of them.
    let ends = [row.numbers.lowest, row.numbers.highest].compactMap { $0.map(Double.init) }
    let now = ends.isEmpty ? [row.numbers.candidate].compactMap(\.self) : ends.unique()
    return Self.row(
      row, NumberText.whole, change: now.map(difference).joined(separator: " to ") + " " + quantity)
  }

  private static func row(_ row: CheckRow, _ text: (Double) -> String, change: String) -> Table.Row {
    Table.Row(
      [
        .name(row.key.contender), .number(row.numbers.base, text), .number(row.numbers.candidate, text),
        Table.Cell(change), Table.Cell(row.state.rawValue, row.state.tone),
      ], remark: row.reason)
  }
}

extension RecordedRun: CustomStringConvertible {
  /// Its name, and where it comes from, in one line.
  public var description: String {
    let generations =
      cells.values.grouped(by: \.key.place).values.map { cells in
        Set(cells.flatMap { $0.counted.map { [$0.run, "\($0.generation)"] } }).count
      }.max() ?? 0
    let commit = environment.commit.map {
      "commit \(SafeText.neutralised(String($0.prefix(12))))"
        + (environment.isDirty == true ? " + changes" : "")
    }
    return
      ([
        path, commit ?? "no commit",
        environment.startedAt.formatted(.iso8601).prefix(16).replacing("T", with: " ") + " UTC",
      ]
      + [Plural.counted(generations, "generation")]).joined(separator: ", ")
  }
}
