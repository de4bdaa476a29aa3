import Harness
import Verdicts
import UploadScenario

/// Whom and what a check can be asked about, of one kind of work.
struct CheckSubjects<Work: Workload> {
  /// Everyone, and those who are meant where nobody is named.
  let contenders: [String]
  let usualContenders: [String]
  let aliases: AliasTable
  /// What a piece of work is called, and the option that names some.
  let noun: String
  let option: String
  /// What a worker is told whose samples are a contender's.
  let workerOption: String
  let takesPart: (_ contender: String, Work) -> Bool
  /// Those that texts and a seed stand for; nil: the usual ones.
  let works: ([String]?, _ seed: UInt64) throws -> [Work]
  /// What has counts, and what of it is counted where nothing is named and nothing committed.
  let countable: [Work]
  let usuallyCounted: [Work]
  /// Where counts are committed, unless the user says.
  let usualCounts: String
  /// What `check` is told for it to be about these; empty: nothing.
  let asked: String
  /// What a check does not look at unless it is told to, as sentences.
  let notLookedAt: (_ named: Bool, DuetMeasure) -> [String]
  /// What another build knows.
  let known: (OtherBuild) -> (contenders: Set<String>, works: Set<String>)

  /// The contenders that `--contenders` asks for; nil: it is not there.
  func named(by options: Options) throws -> [String]? { try options.contenders(among: contenders, aliases) }

  /// The command that writes their counts to a file.
  func update(_ path: String) -> String {
    "`\(CommandName.current) check --counters\(path == usualCounts ? "" : " \(path)")\(asked) --update`"
  }

  func cells(of contenders: [String], in works: [Work]) -> [CellKey] {
    works.flatMap { work in
      contenders.filter { takesPart($0, work) }.map { CellKey(contender: $0, scenario: work.name) }
    }
  }
}

extension CheckSubjects<Scenario> {
  /// Small posts, and such as hold some memory.
  static let usualScenarios = ["publish-instant-100", "publish-instant-1000"]

  init(uploads known: ContenderList) {
    contenders = known.all.map(\.name)
    usualContenders = known.contenders.map(\.name)
    aliases = known.aliases
    (noun, option, workerOption) = ("scenario", "--scenario", "--contender")
    takesPart = { name, scenario in known.all.first { $0.name == name }?.writes(scenario) ?? false }
    works = { try ScenarioOptions.named($0 ?? Self.usualScenarios, seed: $1) }
    countable =
      Catalog.counting
      + Catalog.standard.filter { scenario in !Catalog.counting.contains { $0.name == scenario.name } }
    usuallyCounted = Catalog.counting
    (usualCounts, asked) = (CountersFile.usualPath, "")
    notLookedAt = { isNamed, measure in
      (isNamed ? [] : ["other patterns and fan-outs (`--scenario '*-instant-*'`)"])
        + DuetMeasure.notLookedAt(by: measure)
    }
    self.known = { ($0.contenders, $0.scenarios) }
  }
}

extension CheckSubjects<BenchmarkCase> {
  /// - Parameter known: with operations of the runtimes, or a package's own benchmarks.
  init(benchmarks known: ContenderList) {
    let table = known.benchmarks
    contenders = table.implementers.map(\.name)
    usualContenders = contenders
    aliases = known.aliases
    (noun, option, workerOption) = (table.noun, table.option, BenchmarkTable.workerOption)
    takesPart = table.implements
    works = { texts, _ in try table.cases(texts) }
    countable = table.cases
    usuallyCounted = table.usualCases
    (usualCounts, asked) =
      known.isSuite
      ? (CountersFile.usualPath, "") : ("results/baseline/operations.csv", " \(table.option) '*'")
    notLookedAt = { DuetMeasure.notLookedAt(by: $1) }
    let isSuite = known.isSuite
    self.known = { isSuite ? ($0.contenders, $0.scenarios) : ($0.runtimes, $0.operations) }
  }
}

extension DuetMeasure {
  /// What a check by one of them leaves to another.
  fileprivate static func notLookedAt(by measure: DuetMeasure) -> [String] {
    measure == .wall ? [] : ["time on the clock, with all processors (`--measure wall`)"]
  }
}
